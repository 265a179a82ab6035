/**
 * `zmtp/auth`: a ready-made authenticator, and the certificates of other ZeroMQ tools. An addition to what `zeromq`
 * has.
 */
export {
  type AuthDecision,
  Authenticator,
  type AuthenticatorOptions,
  type AuthRequest,
} from "./auth/authenticator.ts";
export { type Certificate, loadCertificate, loadCertificates, parseCertificate } from "./auth/certificates.ts";
