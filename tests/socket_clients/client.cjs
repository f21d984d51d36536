// Behaves as the contest's TypeScript daemon, on the published socket.io-client: WebSocket only, the token in the query.
// node client.cjs VERSION URL TOKEN ORDER [manual]    (VERSION 2 or 4; ORDER the payload of session-start)
//
// It says `session-start` before anything is received, numbers as text; after every connect, its first and those that
// the library makes by itself, `session-file-repeat {lastFileId}`, and never `session-reconnect`. A file's id is
// digits. It echoes the whole file, and shows whatever an `*-error` says.
//
// Writes every event as a line of JSON, `fatal` for what the daemon cannot take. Reads lines: `drop` cuts the connection
// under it, `answer` answers the file in hand (each file by itself unless `manual`), `large` answers it with a markup of
// more than a frame, `typed NAME [PAYLOAD]` is what a person types.
'use strict';
const [version, url, token, order, manual] = process.argv.slice(2);
const io = require(`socket.io-client-${version}`);
const socket = io(`${url}/pku`, { transports: ['websocket'], query: { token }, reconnectionDelay: 100 });
const say = (name, payload) => process.stdout.write(`${JSON.stringify([name, payload ?? null])}\n`);

let lastFileId = 'No files yet';
let file = null;
const isId = (id) => typeof id === 'string' && /^\d+$/.test(id);
const send = (content) => {
  socket.emit('session-file-send', { sessionId: file.sessionId, fileId: file.fileId, content });
};
const answer = () => send(JSON.stringify(file.content));
const handed = (payload) => {
  if (!isId(payload.fileId) || !isId(payload.sessionId)) {
    say('fatal', payload);
    return;
  }
  file = payload;
  lastFileId = payload.fileId;
  if (!manual) answer();
};
const typed = (name, payload) => socket.emit(name, ...(payload ? [JSON.parse(payload)] : []));

socket.on('connect', () => {
  say('connect');
  socket.emit('session-file-repeat', { lastFileId });
});
for (const name of [
  'connection-auth-error', 'session-start-success', 'session-start-error', 'session-reconnect-success',
  'session-reconnect-error', 'session-file-repeat-error', 'session-file-send-success', 'session-file-send-error',
  'session-client-abort-success', 'session-client-abort-error', 'logs-send-success', 'logs-send-error',
]) {
  socket.on(name, (payload) => {
    if (name.startsWith('session-file-send') && !(isId(payload.sessionId) && isId(payload.fileId))) {
      say('fatal', payload);
    }
    say(name, payload);
  });
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
socket.emit('session-start', JSON.parse(order));

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [command, ...words] = line.split(' ');
  if (command === 'drop') socket.io.engine.transport.ws.close();
  if (command === 'answer') answer();
  if (command === 'large') send('x'.repeat(40 * 1024));
  if (command === 'typed') typed(words[0], words.slice(1).join(' '));
}).on('close', () => process.exit(0));
