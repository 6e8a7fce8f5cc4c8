/** Counts aloud until it is stopped. */
let count = 0;
const timer = setInterval(() => {
  count += 1;
  process.stdout.write(`count ${count}\n`);
}, 10);
process.on("SIGTERM", () => {
  clearInterval(timer);
  process.stdout.write("ended in order\n");
});
