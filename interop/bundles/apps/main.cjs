/** The program that is bundled: it says what it heard, and ends by itself. */
const { conversation } = require("./conversation.cjs");

conversation().then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
