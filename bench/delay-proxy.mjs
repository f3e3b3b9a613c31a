import { connect, createServer } from 'node:net';

/**
 * `delay-proxy.mjs PORT MS`: forwards TCP to a local port with the latency of such a round trip. A connection costs one
 * more round trip, as its handshake would. Forked by `measure.mjs`: sends its port, ends with its parent.
 */
const [port, roundTripMs] = process.argv.slice(2).map(Number);

const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
  const far = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  delay(near, far, performance.now() + roundTripMs);
  delay(far, near, 0);
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit(0));

/** Each timer forwards the oldest bytes: timers may fire in another order, but bytes must not be reordered. */
function delay(from, to, readyAt) {
  const queue = [];
  const later = (work) => {
    queue.push(work);
    setTimeout(() => queue.shift()(), Math.max(readyAt - performance.now(), 0) + roundTripMs / 2);
  };
  from.on('data', (bytes) => later(() => to.writable && to.write(bytes)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
}
