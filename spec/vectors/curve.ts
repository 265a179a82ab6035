/**
 * A complete CURVE session between libzmq 4.3.4's DEALER (routing id cli1), the client, and its ROUTER, the server. The
 * library's random source was replaced by a fixed one, so that every secret is known and every octet can be made again.
 */
function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

/** Permanent and per-connection keys. */
export const keys = {
  client: {
    publicKey: hex("bb88471d65e2659b30c55a5321cebb5aab2b70a398645c26dca2b2fcb43fc518"),
    secretKey: hex("7bb864b489afa3671fbe69101f94b38972f24816dfb01b51656b3fec8dfd0888"),
  },
  server: {
    publicKey: hex("54fcba24e93249969316fb617c872bb0c1d1ff14800427c594cbfacf1bc2d652"),
    secretKey: hex("8e0bdd697628b91d8f245587ee95c5b04d48963f79259877b49cd9063aead3b7"),
  },
  clientTransient: {
    publicKey: hex("97b7453b2e832b5c3b9671689c0a4ac4238174c950a910638697aa470fefc243"),
    secretKey: hex("ef3c13633366bff3bf180f9b503618ba892fd2757226340fa838793eb2224415"),
  },
  serverTransient: {
    publicKey: hex("c779488c98194b9bbc3885e17e5246bc2eaf402a89904371b4e20c2a8276ea59"),
    secretKey: hex("8c910d7d868e6c315d0602e5daa3e21426b4b1953fef883925cd2c1c9e139f03"),
  },
};

/** What the two sides drew at random. */
export const nonces = {
  cookieKey: hex("6fc67d4b2abb533df1b7ee5dec8ed9c56b6518fcb4b5e6fa2b966465f08d9dd6"),
  cookie: hex("f45912cafa7fd9a8e7401286d982924b"),
  welcome: hex("1121239172367027343ece5c131d1d8b"),
  vouch: hex("c18496306ac69f100cb3be59096e0c74"),
};

/** What both sides compute: HSalsa20(X25519(c', S'), 0). */
export const sessionKey: Buffer = hex("d259b416c795edc9282d479bed05c200e5e37b157c7ab317ceeb89f624c91425");

/** Frames, header included. */
export const frames = {
  hello: hex(
    "04c80548454c4c4f010000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
      "000000000000000000000000000000000000000000000000000000000000000097b7453b2e832b5c3b9671689c0a4ac42381" +
      "74c950a910638697aa470fefc24300000000000000013c581749d8618e88f68c9b9a62871b9387a78c6a8c9f32f4ce40a3e8" +
      "013d23d36dda015c832eaaeec6a8e2303ca31bc30df70a79ff920e13b271427912ebfcf235645c20e24aafee211b18483de5" +
      "56c5",
  ),
  welcome: hex(
    "04a80757454c434f4d451121239172367027343ece5c131d1d8bd6c813daa3cbd7e0341adc6a32be1ad03e62e8efe9c553d3" +
      "91e282f2b7581e93cba63f86221522ecbda807f0df7b0f92bb3d87f522099943bfc025f7925ba5941e4b41348ecc65636e9e" +
      "1f613dfab6f6d22714ab64e097337ef514c606b191b8581789f86953f8fb485cf858812a31a48f0590fde61ae7fe4cb6bcba" +
      "629a5e860a0876ff36670cb7bb379bbfae4cf2db",
  ),
  initiate: hex(
    "06000000000000012808494e495449415445f45912cafa7fd9a8e7401286d982924b857e337dce9c49fbc24c606e1f2635c9" +
      "86d8f4e21f25180e7b464b2f7b7c5c7e175e7949ac71b052c010bed25d6006a51a38b86ed4df220d3067ee721226cc12be87" +
      "7e949befe941d526aa04d3351e590000000000000002cbab4df2c82c538c86fa096b8379325842e9315de1e9e7497ba684ea" +
      "61f7867d5d394b52e99472ae126b87dc3aa6861ff9d257ac9640aae06fd305aff4fce89ab7ecf6ebe038b026e4087812ce24" +
      "a42f1e330a6d74833a43ed80ac9a5697361cc931106e1845f6a9163516830697e274b10253a2a0697ac1d64647941ba89de6" +
      "883245c2f0faffa7fa9684ac31a3dfec36a40a150cb0abc65f6b8ba520ec0a451ce3794687190f7250133b45ed179c777f8a" +
      "7aff21110b",
  ),
  ready: hex(
    "044105524541445900000000000000012b110b098da1e2630b99bf41b20a39e15ae615c192d8d7383597a7b1133f5a510ab5" +
      "4e0c77877e83ab655c21ede8da3de6bdee",
  ),
  /** ["hello", ""] from the client. */
  request: [
    hex("0026074d455353414745000000000000000333aa4e0392f387ed44c49b9d77930c13198e46a0818b"),
    hex("0021074d455353414745000000000000000466dcb45860d1a8d46ae842855a90262281"),
  ],
  /** "world" from the server. */
  reply: hex("0026074d45535341474500000000000000023321f86950ed1e2d8437d99f6a65f0dad2506ad28abe"),
};

/** Parts of INITIATE in the clear. */
export const initiate = {
  vouchBox: hex(
    "3351b0dd3c389784df5b874a6cf8868cb239bee303b137340824112676f3cdca0605efc5b63d9be695bdab54e71a3d8fcae4" +
      "81f4ab034e1c1f3cf253d2ef75b0746cd948eba69c096ba57abd6cba95b8",
  ),
  metadata: hex("0b536f636b65742d54797065000000064445414c4552084964656e7469747900000004636c6931"),
};

/** The metadata in READY: a ROUTER without routing id. */
export const readyMetadata: Buffer = hex("0b536f636b65742d5479706500000006524f55544552084964656e7469747900000000");

/** The steps to the box in HELLO. */
export const helloSteps = {
  shared: hex("841588f6876d752c1303c09ce5be71904e3caaff1950f5d2dc71f8c9e50b4e61"),
  key: hex("7c9ded2ed7a2cd194a1764032e60bf2e7382659ddbe81fe37447c93d013de29a"),
  nonce: hex("43757276655a4d5148454c4c4f2d2d2d0000000000000001"),
  subkey: hex("9cf575ce32f8d289f3a1ece41870eb5e98107a4ca25de87a1c20a11a57b3319e"),
  authKey: hex("bc5c83f1993a0031aa986d96f93178d941e1ea4de36b58e4fdfd9b86586d1cfa"),
  tag: hex("3c581749d8618e88f68c9b9a62871b93"),
};

/** crypto_secretbox: key 00..1f, nonce 64..7b, message m[i] = 7i mod 256 of 131 octets, and the empty message. */
export const secretBox = {
  sealed: hex(
    "173e3d707adeebb47e80ad486ce0a1b902be97dc2695e4d888c265d963dfc1714edd46226835d1ba0ea3f429ce401b514888" +
      "1aedb33491f5ed09314f34289f2c91c7f07d7ef543de8b6ec5997f192cdd834c82b814dfa27b417019ff54d8cfba64a0b342" +
      "ebac2163faf4ff5afc6d775f5a6e47ce531af016dba4996648a797316838886ffb187a4808c358fe807aa4453e8783",
  ),
  empty: hex("f49572d6194281e3c87fbb4e2106932c"),
};
