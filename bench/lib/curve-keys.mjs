/**
 * Two CURVE key pairs for benchmarks, the sample pairs of libzmq's manual: known to everyone, of use for nothing else.
 * c/common.h holds the same.
 */

const SERVER = {
  publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
  secretKey: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6",
};
const CLIENT = {
  publicKey: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
  secretKey: "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs",
};

/** Options of the socket that binds. */
export const CURVE_SERVER = { curveServer: true, curveSecretKey: SERVER.secretKey };

/** Options of the socket that connects. */
export const CURVE_CLIENT = {
  curveServerKey: SERVER.publicKey,
  curvePublicKey: CLIENT.publicKey,
  curveSecretKey: CLIENT.secretKey,
};
