import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { type Client, startCommand, temporaryDirectory, until, url } from './support.ts';

/** Bytes of memory that a process holds. */
function memoryOf(pid: number): number {
  const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(pages) * 1024;
}

const megabyte = 1024 * 1024;

/** A client that sends a query and never reads a byte of the answer. */
function neverRead(client: Client, text: string, queryId: string): net.Socket {
  const socket = net.connect(client.port);
  socket.on('error', () => {});
  socket.pause();
  const path = url({ query_id: queryId });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}

async function readRows(client: Client, queryId: string): Promise<string> {
  return client.ok(`SELECT read_rows FROM system.processes WHERE query_id = '${queryId}'`);
}

/** Resolves when a query stands still because its client takes nothing. */
function stalled(client: Client, queryId: string): Promise<unknown> {
  return until('the query waits for its client', async () => {
    const before = await readRows(client, queryId);
    if (before === '' || before === '0\n') return false;
    await delay(100);
    return (await readRows(client, queryId)) === before;
  });
}

test('a client that never reads a big result costs no memory, and can be killed', async (t) => {
  const directory = await temporaryDirectory(t);
  const { process: server, client } = await startCommand(t, directory);
  const pid = server.child.pid ?? 0;
  await client.ok('SELECT sum(number) FROM numbers(1000000)');
  const baseline = memoryOf(pid);
  const sockets = [];
  for (let index = 0; index < 5; index++) {
    const text = "SELECT number, 'some text that makes the rows longer' FROM numbers(10000000000)";
    sockets.push(neverRead(client, text, `lazy-${index}`));
    await stalled(client, `lazy-${index}`);
  }
  const held = memoryOf(pid) - baseline;
  t.true(held < 200 * megabyte, `${held / megabyte} MiB are held`);
  for (let index = 0; index < 4; index++) await client.ok(`KILL QUERY WHERE query_id = 'lazy-${index}'`);
  sockets[4]?.destroy();
  await client.idle();
  for (const socket of sockets) socket.destroy();
});

test('a streaming client that stops reading costs no memory and can be left behind', async (t) => {
  const directory = await temporaryDirectory(t);
  const { process: server, client } = await startCommand(t, directory);
  const pid = server.child.pid ?? 0;
  await client.ok('CREATE STREAM s (a int64, b string)');
  const query = {
    query: "INSERT INTO s SELECT number, 'some text that makes the rows longer' FROM numbers(1000000)",
  };
  await client.ok('', query);
  const socket = neverRead(client, "SELECT a, b FROM s SETTINGS seek_to = 'earliest'", 'lazy');
  await stalled(client, 'lazy');
  const baseline = memoryOf(pid);
  const attentive = await client.open('SELECT count() FROM s EMIT PERIODIC 50ms');
  for (let time = 0; time < 10; time++) await client.ok('', query);
  const held = memoryOf(pid) - baseline;
  // The rows themselves are 500 MB as text; what grows is the cache of blocks, which the store bounds.
  t.true(held < 400 * megabyte, `${held / megabyte} MiB are held`);
  await attentive.take(1);
  attentive.leave();
  socket.destroy();
  await client.idle();
});

test('a client that does not read has no more time than others', async (t) => {
  const directory = await temporaryDirectory(t);
  const { client } = await startCommand(t, directory);
  const text = 'SELECT number FROM numbers(10000000000) SETTINGS max_execution_time = 1';
  const socket = neverRead(client, text, 'lazy');
  await until('the query runs', () => client.runs('lazy'));
  await client.idle();
  t.false(await client.runs('lazy'));
  socket.destroy();
});

test('memory is given back after 100 MB cells, in and out and refused', async (t) => {
  const directory = await temporaryDirectory(t);
  const { process: server, client } = await startCommand(t, directory, ['--memory-limit', '64MiB']);
  const pid = server.child.pid ?? 0;
  await client.ok('CREATE STREAM s (b string)');
  await client.ok('CREATE STREAM n (a int32)');
  // What a server that has worked holds anyway: compiled code, a heap of some size.
  await client.ok('INSERT INTO s SELECT to_string(number) FROM numbers(1000)');
  await client.ok('SELECT length(b), sum(1) FROM table(s) GROUP BY 1');
  await client.ok('TRUNCATE STREAM s');
  const before = memoryOf(pid);
  const cell = Buffer.alloc(100_000_000, 'some-text.');
  const insert = (stream: string) =>
    client.send({ path: url({ query: `INSERT INTO ${stream} FORMAT CSV` }), body: cell });
  for (let time = 0; time < 3; time++) {
    t.is((await insert('s')).status, 200);
    t.is(await client.ok('SELECT length(b) FROM table(s)'), `${cell.length}\n`);
    const back = (await client.sql('SELECT b FROM table(s)')).body;
    t.true(back.length === cell.length + 1 && back.subarray(0, cell.length).equals(cell));
    t.is((await insert('n')).status, 400);
    await client.ok('TRUNCATE STREAM s');
  }
  // Less than one cell, so that keeping a single one would show.
  await until('memory is given back', () => memoryOf(pid) - before < 90 * megabyte);
  t.is((await client.sql('SELECT 1')).text, '1\n');
});
