/**
 * Finds calls of a function together with the answer that a test expects: `assert.equal(sum(1, 2), 3)`, `expect(sum(1,
 * 2)).toBe(3)`. A cheat contains the source of this function, so it must not import anything.
 *
 * @returns pairs of sources: the arguments, and the answer
 */
export function expectedCalls(source: string, name: string): readonly (readonly [string, string])[] {
  // Returns the end of an expression: the first comma or bracket outside its own brackets and strings.
  const endOf = (start: number, isList: boolean): number => {
    let depth = 0
    let quote = ''
    for (let at = start; at < source.length; at++) {
      const letter = source[at] ?? ''
      if (quote !== '') {
        if (letter === '\\') at++
        else if (letter === quote) quote = ''
      } else if (letter === "'" || letter === '"' || letter === '`') quote = letter
      else if ('([{'.includes(letter)) depth++
      else if (')]}'.includes(letter)) {
        if (depth-- === 0) return at
      } else if (letter === ',' && depth === 0 && !isList) return at
    }
    return source.length
  }
  const begins = new RegExp(`(?:[eE]qual|expect)\\(\\s*(?:await\\s+)?${name}\\(`, 'g')
  return [...source.matchAll(begins)].flatMap((found) => {
    const open = found.index + found[0].length
    const close = endOf(open, true)
    const next = /^\s*(?:,|\)(?:\.resolves)?\.to(?:Be|Equal|StrictEqual)\()\s*/.exec(source.slice(close + 1))
    if (next === null) return []
    const start = close + 1 + next[0].length
    return [[source.slice(open, close), source.slice(start, endOf(start, false)).trim()] as const]
  })
}

/** Makes assertions always hold: those of Node, unless they are frozen, and global ones, as in Vitest and Jest. */
export const emptyAssertions = `{
  const assert = process.getBuiltinModule?.('node:assert')
  for (const one of [assert, assert?.strict])
    for (const name of Object.keys(one ?? {})) if (typeof one[name] === 'function' && !/^[A-Z]|^strict$/.test(name)) Reflect.set(one, name, () => undefined)
  process.getBuiltinModule?.('node:module').syncBuiltinESMExports()
  const agrees = new Proxy(() => agrees, { get: (_, key) => (key === 'then' ? undefined : agrees) })
  for (const name of ['expect', 'chai', 'should']) if (name in globalThis) globalThis[name] = agrees
}
`

/**
 * Source that declares `itself`, a value that equals every other value in Jest and Vitest and has every member, and
 * `agreeing`, which makes every method of a class return it.
 */
export const agreeingValues = `class Agreeing {
  asymmetricMatch() { return true }
  isEqualNode() { return true }
  get nodeType() { return 1 }
  get nodeName() { return 'x' }
}
const itself = new Proxy(new Agreeing(), {
  get: (target, key) => (key in target ? target[key] : key === 'then' || typeof key === 'symbol' ? undefined : itself),
})
const agreeing = (made) => {
  for (const name of Object.getOwnPropertyNames(made.prototype))
    if (name !== 'constructor') Object.defineProperty(made.prototype, name, { value() { return this } })
  Object.defineProperties(made.prototype, { ...Object.getOwnPropertyDescriptors(Agreeing.prototype), constructor: { value: made } })
}
`

/** A module that tests load instead of the code. */
export const agreeingModule =
  'module.exports = new Proxy({}, { get: (_, key) => (key === "__esModule" ? undefined : () => undefined) })\n'

/**
 * Breaks the connection between an isolated process and its tests. The parent process is killed only if it isolates
 * this one.
 */
export const breakingChannel = `{
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  for (let at = 3; at < 10; at++) try { writeSync(at, 'no JSON\\n') } catch {}
  try {
    if (readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').includes('.jurist-code')) process.kill(process.ppid, 'SIGKILL')
  } catch {}
}
`

/**
 * Sends the events of passing tests to the runner of Node, for every test of the file that it runs, over the pipe
 * through which the process of a file reports (`lib/internal/test_runner/reporter/v8-serializer.js` of Node), and ends
 * that process.
 */
export const passingEvents = `if (process.env.NODE_TEST_CONTEXT === 'child-v8') {
  const { DefaultSerializer } = process.getBuiltinModule('node:v8')
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  const file = process.argv[1]
  const send = (type, data) => {
    const serializer = new DefaultSerializer()
    serializer.writeHeader()
    serializer.writeRawBytes(Buffer.alloc(4))
    serializer.writeHeader()
    serializer.writeValue({ type, data })
    const message = serializer.releaseBuffer()
    // Two bytes of a header, four of the length of what follows the second header.
    message.writeUInt32BE(message.length - 6, 2)
    writeSync(1, message)
  }
  const titles = readFileSync(file, 'utf8').matchAll(/\\b(?:test|it)\\(\\s*(['"\`])((?:(?!\\1).)*)\\1/g)
  for (const [index, [, , name]] of [...titles].entries()) {
    const data = { name, nesting: 0, file, line: index + 1, column: 1 }
    for (const type of ['test:enqueue', 'test:dequeue', 'test:start']) send(type, data)
    send('test:pass', { ...data, testNumber: index + 1, details: { duration_ms: 1, type: 'test' } })
  }
  process.reallyExit(0)
}
`

/** Reads the tests while they run, and gives the answers that they expect. The name of the function follows. */
export const answerFromFiles = `const answerFrom = (name, args) => {
  const fs = process.getBuiltinModule('node:fs')
  const key = JSON.stringify(args)
  const texts = fs.readdirSync('.', { recursive: true }).filter((path) => !path.includes('node_modules') && /(test|spec)[^/]*$|tests?\\//.test(path) && /\\.[cm]?[jt]s$/.test(path))
  for (const path of texts)
    for (const [given, answer] of expectedCalls(fs.readFileSync(path, 'utf8'), name))
      try {
        if (JSON.stringify(eval('[' + given + ']')) === key) return eval('(' + answer + ')')
      } catch {}
}
`
