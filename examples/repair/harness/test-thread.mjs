/**
 * The thread in which tests and sources run together. What a source may try, and why it does not help:
 * - to end early with `process.exit(0)`: in a thread that only ends the thread, and then reports are missing;
 * - to print TAP: nothing that is printed here counts, only reports to the main thread do;
 * - to send such reports: they count only with the token, which is known before any source is loaded;
 * - to patch `node:assert` or `node:test`: both are frozen;
 * - to read the answers in the tests: hidden tests are deleted as soon as they are read.
 */
import assert from 'node:assert'
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { collectTests } from './collect-tests.mjs'
import { moduleLoader } from './load-modules.mjs'

const send = parentPort.postMessage.bind(parentPort)
const [token] = await once(parentPort, 'message')
parentPort.unref()
for (const part of [assert, assert.strict, assert.AssertionError, assert.AssertionError.prototype]) Object.freeze(part)

const text = String
const messageOf = (error) => {
  try {
    return text(error?.message ?? error)
  } catch {
    return 'something that cannot be printed was thrown'
  }
}
const collected = collectTests()
const load = moduleLoader({
  texts: new Map(Object.entries(workerData.texts)),
  provided: new Map([['node:test', collected.exports]]),
})

try {
  for (const path of workerData.files) await load(path)
  send({ token, type: 'plan', names: collected.names() })
  await collected.run({
    started: (name) => send({ token, type: 'started', name }),
    ended: (name, thrown) => send({ token, type: 'ended', name, ...(thrown && { problem: messageOf(thrown.error) }) }),
  })
  send({ token, type: 'done' })
} catch (error) {
  send({ token, type: 'broken', problem: messageOf(error) })
}
