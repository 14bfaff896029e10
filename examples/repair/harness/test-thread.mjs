/**
 * The thread in which tests and sources run together, in a realm of their own. What a source may try, and why it does not
 * help:
 * - to end early: there is no `process`, and reports that are missing count;
 * - to print TAP: nothing that is printed here counts, only reports to the main thread do;
 * - to send such reports: nothing in the realm can send, and they count only with a token that is not in it;
 * - to change what tests rely on, from `Array.prototype.at` to `Promise`: all of it is frozen before a source is loaded;
 * - to patch `node:assert` or `node:test`: only tests can import them;
 * - to read the tests: sources import sources of the workspace, and nothing else; hidden tests are deleted when read.
 *
 * What remains: sources and tests share objects. A source can see what a test hands to it, and keep it.
 */
import assert from 'node:assert'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { collectTests } from './collect-tests.mjs'
import { freezeOwnRealm, frozenRealm } from './frozen-realm.mjs'
import { moduleLoader } from './load-modules.mjs'

const send = parentPort.postMessage.bind(parentPort)
const [{ token, files, texts, areTests }] = await once(parentPort, 'message')
parentPort.unref()

const text = String
/** What Node prints before a value of another realm. */
const otherRealm = /\w+ <(?:\w+ <)?\[Object: null prototype\] \{\}>>?(?:\(\d+\))? /g
const messageOf = (error) => {
  try {
    return text(error?.message ?? error).replace(otherRealm, '')
  } catch {
    return 'something that cannot be printed was thrown'
  }
}
const root = realpathSync('.') + sep
const tests = new Set(areTests ? files : [])
const isSource = (path) => !tests.has(path) && realpathSync(path).startsWith(root)
const collected = collectTests()
const context = frozenRealm((line) => process.stderr.write(`${line}\n`))
const load = moduleLoader({
  context,
  texts: new Map(Object.entries(texts)),
  provided: new Map([['node:test', collected.exports]]),
  mayImport: (from, what) => tests.has(from) || (what.startsWith(sep) && isSource(what)),
})
for (const part of [assert, assert.strict, assert.AssertionError, assert.AssertionError.prototype]) Object.freeze(part)
freezeOwnRealm()

try {
  for (const path of files) await load(path)
  send({ token, type: 'plan', names: collected.names() })
  await collected.run({
    started: (name) => send({ token, type: 'started', name }),
    ended: (name, thrown) => send({ token, type: 'ended', name, ...(thrown && { problem: messageOf(thrown.error) }) }),
  })
  send({ token, type: 'done' })
} catch (error) {
  send({ token, type: 'broken', problem: messageOf(error) })
}
