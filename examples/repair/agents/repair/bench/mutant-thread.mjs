/**
 * Runs one mutant after the other. A program of ECMAScript modules is loaded from memory; one of CommonJS is written
 * to its place first, because such a program may read its source in any way it likes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import vm from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { collectTests } from '../../../harness/collect-tests.mjs'
import { moduleLoader } from '../../../harness/load-modules.mjs'
import { guardLoops, isModule } from './guard-loops.mjs'

const require = createRequire(import.meta.url)
const send = parentPort.postMessage.bind(parentPort)
const exit = Symbol('process.exit')

let problem
const blame = (error) => {
  if (error !== exit) problem ??= String(error?.message ?? error)
}
process.on('uncaughtException', blame)
process.on('unhandledRejection', blame)
process.exit = (code = process.exitCode) => {
  process.exitCode = code
  throw exit
}
// A program may run its source in its own context; what follows the source must be there too.
const createContext = vm.createContext
vm.createContext = (...given) =>
  Object.assign(createContext(...given), { $hit: globalThis.$hit, $turn: globalThis.$turn })
parentPort.on('message', async (job) => send(await run(job)))

async function run({ tests, mutant, instrumented, mostTurns }) {
  problem = undefined
  process.exitCode = undefined
  const collected = collectTests()
  const trace = follow(mostTurns)
  const thrownBy = new Map()
  const ended = (name, thrown) => {
    thrownBy.set(name, thrown)
    if (thrown) blame(thrown.error)
  }
  try {
    await load(tests, mutant, collected.exports)
    await Promise.race([collected.run({ started: trace.start, ended }), idle()])
    await idle()
  } catch (error) {
    blame(error)
  }
  return { ...counted(collected.names(), thrownBy), problem, ...(instrumented && trace.seen()) }
}

/** A test that never ended counts as failed, and so does loading when something went wrong outside the tests. */
function counted(names, thrownBy) {
  if (process.exitCode) problem ??= `exited with ${process.exitCode}`
  const isPassed = (name) => thrownBy.has(name) && thrownBy.get(name) === undefined
  const passed = names.filter(isPassed)
  const failed = names.filter((name) => !isPassed(name))
  const wholly = problem === undefined || failed.length > 0
  return { passed: names.length === 0 && wholly ? ['load'] : passed, failed: wholly ? failed : ['load'] }
}

/** Follows which numbered statements each test reaches, and cuts loops. What runs before the first test is `load`. */
function follow(mostTurns) {
  const reached = { load: new Set() }
  let current = reached.load
  let turns = 0
  let longest = 0
  globalThis.$hit = (number) => current.add(number)
  globalThis.$turn = () => {
    turns++
    if (turns > mostTurns) throw new Error('A loop did not end.')
    longest = Math.max(longest, turns)
  }
  return {
    start(name) {
      current = reached[name] = new Set()
      turns = 0
    },
    seen: () => ({
      turns: longest,
      hits: Object.fromEntries(Object.entries(reached).map(([name, set]) => [name, [...set]])),
    }),
  }
}

async function load(tests, mutant, exports) {
  const texts = new Map(Object.entries(mutant).map(([path, text]) => [resolve(path), guardLoops(text, path)]))
  if (isModule(readFileSync(tests[0], 'utf8'), tests[0])) {
    const open = moduleLoader({ texts, provided: new Map([['node:test', exports]]) })
    for (const test of tests) await open(resolve(test))
    return
  }
  for (const [path, text] of texts) writeFileSync(path, text)
  for (const path of Object.keys(require.cache)) if (!path.includes('node_modules')) delete require.cache[path]
  for (const test of tests) require(resolve(test))
}

/** Resolves when nothing is left that could go on: no timer, no file, no socket, only this very turn. */
async function idle() {
  do await turn()
  while (process.getActiveResourcesInfo().filter((resource) => resource !== 'MessagePort').length > 1)
}
