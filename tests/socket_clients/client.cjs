// A participant's client as the earlier contests published it: socket.io-client, WebSocket only, the token in the query.
// node client.cjs VERSION URL TOKEN ORDER    (VERSION 2 or 4; ORDER the payload of session-start)
// Writes every event as a line of JSON; a line "drop" on standard input cuts the connection under it.
'use strict';
const [version, url, token, order] = process.argv.slice(2);
const io = require(`socket.io-client-${version}`);
const socket = io(`${url}/pku`, { transports: ['websocket'], query: { token }, reconnectionDelay: 100 });
const say = (name, payload) => process.stdout.write(`${JSON.stringify([name, payload])}\n`);

let started = false;
let lastFileId = 'No files yet';
const handed = (file) => {
  lastFileId = file.fileId;
  socket.emit('session-file-send', { ...file, content: JSON.stringify(file.content) });
};
socket.on('connect', () => {
  say('connect', null);
  socket.emit(started ? 'session-reconnect' : 'session-start', started ? undefined : JSON.parse(order));
  started = true;
  socket.emit('session-file-repeat', { lastFileId });
});
for (const name of [
  'connection-auth-error', 'session-start-success', 'session-start-error', 'session-reconnect-success',
  'session-reconnect-error', 'session-file-repeat-error', 'session-file-send-success', 'session-file-send-error',
]) {
  socket.on(name, (payload) => say(name, payload));
}
for (const name of ['session-file-available', 'session-file-repeat-success']) {
  socket.on(name, (payload) => {
    say(name, payload);
    handed(payload);
  });
}
socket.on('session-close', (payload) => {
  say('session-close', payload);
  socket.close();
  process.exit(0);
});
socket.on('disconnect', (reason) => say('disconnect', { reason }));
process.stdin.on('data', () => socket.io.engine.close());
process.stdin.on('end', () => process.exit(0));
