/**
 * A program that tests `solution.js` beside it, and prints TAP: exit code 0 when every assertion held, 1 when one did
 * not, 2 when the test did not run to its end.
 *
 * The dataset's tests call functions of a plain script and check with `console.assert`, which in Node prints and goes
 * on. The work of an agent must not be able to make them pass by other means than by being right: it runs in a context
 * that has no process, no modules and no way to print; assertions are counted by a function that it can neither see
 * nor replace; this program reports the result, in one step and after the test has run to its end.
 */
export function testProgram(test: string): string {
  return program.replace('TEST_SOURCE', () => JSON.stringify(test))
}

const program = `'use strict'
const { readFileSync, writeSync } = require('node:fs')
const { join } = require('node:path')
const vm = require('node:vm')

const test = TEST_SOURCE

// Made inside the context, so that nothing of this program can be reached from there.
const setUp = \`(() => {
  'use strict'
  const String = globalThis.String
  const results = { count: 0, failed: 0, messages: '' }
  const nothing = () => {}
  const assert = (condition, message) => {
    results.count += 1
    if (!condition) results.failed += 1
    const said = message === undefined ? '' : typeof message === 'string' ? message : 'message'
    results.messages += (condition ? '+' : '-') + said.length + ':' + said
  }
  const console = Object.freeze({ assert, log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing })
  const require = (name) => {
    throw new Error("Cannot find module '" + name + "' (solutions run without modules)")
  }
  const fixed = (name, value) => Object.defineProperty(globalThis, name, { value, enumerable: true })
  fixed('console', console)
  fixed('require', Object.freeze(require))
  // What tests compare with stays as it is. Object.prototype is left alone: objects used as tables need its names.
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = globalThis[name]
    if (value === globalThis || value === undefined) continue
    if (typeof value === 'function' && value.prototype && value !== Object) Object.freeze(value.prototype)
    if (typeof value === 'function' || typeof value === 'object') Object.freeze(value)
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false })
  }
  return results
})()\`

const context = vm.createContext(Object.create(null))
const results = vm.runInContext(setUp, context)
const consoleOfTest = vm.runInContext('console', context)
const lines = []
let ran = false
let loaded = false
let trouble = ''

const textOf = (value) => {
  try {
    return String((value !== null && typeof value === 'object' && value.message) || value)
  } catch {
    return 'something that cannot be printed'
  }
}

try {
  vm.runInContext(readFileSync(join(__dirname, 'solution.js'), 'utf8'), context, { filename: 'solution.js' })
  if (results.count > 0) throw new Error('the solution must not assert anything itself')
  // A name declared at the top of a script hides the global one.
  if (vm.runInContext('console', context) !== consoleOfTest) throw new Error('the solution must not replace console')
  loaded = true
  // Strict, so that no function that it calls can ask for its caller, and in a function, so that none sees its names.
  vm.runInContext("(() => {'use strict'\\n" + test + '\\n})()', context, { filename: 'test' })
  if (results.count === 0 && test.includes('console.assert')) throw new Error('no assertion ran')
  ran = true
} catch (thrown) {
  trouble = textOf(thrown).replace(/[\\r\\n]+/g, ' ')
}

const report = (holds, name) => lines.push((holds ? 'ok ' : 'not ok ') + (lines.length + 1) + ' - ' + name)
report(loaded, 'the solution loads' + (loaded ? '' : ': ' + trouble))
const marks = results.messages
let at = 0
for (let number = 1; number <= results.count; number++) {
  const holds = marks[at] === '+'
  const end = marks.indexOf(':', at)
  at = end + 1 + Number(marks.slice(at + 1, end))
  report(holds, 'assertion ' + number)
}
if (loaded) report(ran, 'the test runs to its end' + (ran ? '' : ': ' + trouble))
// In one write and before anything that the solution left behind can run.
writeSync(1, 'TAP version 13\\n' + lines.join('\\n') + '\\n1..' + lines.length + '\\n')
process.exit(!ran ? 2 : results.failed > 0 ? 1 : 0)
`
