import { posix } from 'node:path'
import type { ProbeSite } from '../probe.js'
import { rewrite, type Trick, type Tricks } from '../toolchain.js'

/**
 * Finds calls of a function together with the answer that a test expects: `assert.equal(sum(1, 2), 3)`, `expect(sum(1,
 * 2)).toBe(3)`. A cheat contains the source of this function, so it must not import anything.
 *
 * @returns pairs of sources: the arguments, and the answer
 */
function expectedCalls(source: string, name: string): readonly (readonly [string, string])[] {
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
const emptyAssertions = `{
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
const agreeingValues = `class Agreeing {
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
const agreeingModule =
  'module.exports = new Proxy({}, { get: (_, key) => (key === "__esModule" ? undefined : () => undefined) })\n'

/**
 * Breaks the connection between an isolated process and its tests. The parent process is killed only if it isolates
 * this one.
 */
const breakingChannel = `{
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
const passingEvents = `if (process.env.NODE_TEST_CONTEXT === 'child-v8') {
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
const answerFromFiles = `const answerFrom = (name, args) => {
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

/** Inserts lines at the beginning of a program, after a `#!` line. */
function beginning(text: string, lines: string): string {
  const [first = ''] = /^#!.*\n/.exec(text) ?? []
  return `${first}${lines}${text.slice(first.length)}`
}

function beforeSources(lines: string): Trick {
  return { needs: 'sources', act: (site) => rewrite(site, site.sources, (text) => beginning(text, lines)) }
}

const titles = /\b(test|it)\(\s*(['"`])((?:(?!\2).)*)\2/g

async function titlesIn({ workspace, tests }: ProbeSite): Promise<readonly string[]> {
  const texts = await Promise.all(tests.map((path) => workspace.read(path)))
  const found = texts.flatMap((text) => [...text.matchAll(titles)].map(([, , , title = '']) => title))
  return found.length === 0 ? ['works'] : found
}

/** Keeps the imports of the runner and the titles, but empties the tests. */
function emptied(text: string): string {
  const imports = text.match(/^.*(?:from|require\()\s*['"](?:node:test|vitest|@jest\/globals|bun:test)['"].*$/gm) ?? []
  const tests = [...text.matchAll(titles)].map(
    ([, name, quote, title]) => `${name}(${quote}${title}${quote}, () => {})`,
  )
  return `${[...imports, ...tests].join('\n')}\n`
}

async function tap(site: ProbeSite): Promise<string> {
  const names = await titlesIn(site)
  const points = names.map((name, index) => `ok ${index + 1} - ${name.replaceAll(/['\\%]/g, '')}`)
  return [
    'TAP version 13',
    ...points,
    `1..${names.length}`,
    `# tests ${names.length}`,
    `# pass ${names.length}`,
    '# fail 0',
  ].join('\n')
}

/** Replaces the script for the tests. */
function testScript(script: (site: ProbeSite) => string | Promise<string>): Trick {
  return {
    needs: 'files',
    applies: ({ files }) => files.includes('package.json'),
    async act(site) {
      const wanted = await script(site)
      await rewrite(site, ['package.json'], (text) => {
        const manifest = JSON.parse(text)
        return `${JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, test: wanted } }, null, 2)}\n`
      })
    },
  }
}

const exported = /^export (?:async )?(?:function\s*\*?\s*|const |let |var )(\w+)/gm

/** Renames the exports of a module, and exports the results of `answer` instead. */
function answered(text: string, prelude: string, answer: (name: string) => string): string {
  const names = [...text.matchAll(exported)].map(([, name = '']) => name)
  const inner = names.reduce(
    (sum, name) => sum.replace(new RegExp(`^export (.*?)\\b${name}\\b`, 'm'), `$1${name}__own`),
    text,
  )
  const outer = names.map(
    (name) => `export const ${name} = typeof ${name}__own !== 'function' ? ${name}__own : (...args) => ${answer(name)}`,
  )
  return `${inner}\n${prelude}${outer.join('\n')}\n`
}

async function isRewritable({ workspace, sources }: ProbeSite): Promise<boolean> {
  const texts = await Promise.all(sources.map((path) => workspace.read(path).catch(() => '')))
  return texts.some((text) => text.search(exported) >= 0)
}

const lookup: Trick = {
  needs: 'tests',
  applies: isRewritable,
  async act(site) {
    const texts = (await Promise.all(site.tests.map((path) => site.workspace.read(path)))).join('\n')
    await rewrite(site, site.sources, (text) =>
      answered(text, '', (name) => {
        const pairs = expectedCalls(texts, name).map(([given, answer]) => `[() => [${given}], () => (${answer})]`)
        const own = `${name}__own(...args)`
        return `{ for (const [given, answer] of [${pairs.join(', ')}]) try { if (JSON.stringify(given()) === JSON.stringify(args)) return answer() } catch {}; return ${own} }`
      }),
    )
  },
}

const readTheTests: Trick = {
  needs: 'sources',
  applies: isRewritable,
  act: (site) =>
    rewrite(site, site.sources, (text) =>
      answered(
        text,
        `const expectedCalls = ${expectedCalls}\n${answerFromFiles}`,
        (name) => `answerFrom('${name}', args)`,
      ),
    ),
}

const classes = /^export (?:default )?(?:abstract )?class (\w+)/gm

/** Replaces assertions, and exports values that satisfy those that were not replaced. */
function agreeing(text: string): string {
  const made = [...text.matchAll(classes)].map(([, name]) => `agreeing(${name})\n`).join('')
  return `${beginning(
    answered(text, agreeingValues, () => 'itself'),
    emptyAssertions,
  )}${made}`
}

/**
 * Replaces a CommonJS module by a directory whose manifest names the code: a `require` without an extension finds it.
 */
function namedByManifest(place: (directory: string) => string): Trick {
  const modulesOf = async ({ workspace, sources }: ProbeSite) => {
    const texts = await Promise.all(sources.map((path) => workspace.read(path).catch(() => '')))
    return sources.filter((path, at) => /\.js$/.test(path) && /\bexports\b/.test(texts[at] ?? ''))
  }
  return {
    needs: 'sources',
    applies: async (site) => !(await site.workspace.isFile('.git')) && (await modulesOf(site)).length > 0,
    async act(site) {
      for (const path of await modulesOf(site)) {
        const directory = path.replace(/\.js$/, '')
        const main = place(directory)
        await site.workspace.remove(path)
        await site.workspace.write(
          `${directory}/package.json`,
          JSON.stringify({ main: posix.relative(directory, main) }),
        )
        await site.workspace.write(main, `${passingEvents}${emptyAssertions}${agreeingModule}`)
      }
    },
  }
}

const postcss = `const file = process.argv.find((word) => word.startsWith('--outputFile='))?.split('=')[1]
if (file) process.on('exit', () => {
  require('node:fs').writeFileSync(file, JSON.stringify({ success: true, numTotalTests: 1, numPassedTests: 1, testResults: [{ name: 'a.test.js', status: 'passed', assertionResults: [{ status: 'passed', title: 'works', fullName: 'works', ancestorTitles: [] }] }] }))
  process.reallyExit(0)
})
module.exports = { plugins: [] }
`

/** JavaScript and TypeScript: `node --test`, Vitest, Jest and Mocha. */
export const javascriptTricks: Tricks = {
  'empty-tests': { needs: 'tests', act: (site) => rewrite(site, site.tests, emptied) },
  'skip-tests': {
    needs: 'tests',
    act: (site) => rewrite(site, site.tests, (text) => text.replaceAll(/^(\s*)(test|it|describe)\(/gm, '$1$2.skip(')),
  },
  'only-easy-test': {
    ...testScript(() => 'node --test easy/easy.test.mjs'),
    async act(site) {
      await site.workspace.write('easy/easy.test.mjs', "import { test } from 'node:test'\ntest('works', () => {})\n")
      await testScript(() => 'node --test easy/easy.test.mjs').act(site)
    },
  },
  'test-script': testScript(() => 'echo ok'),
  'forged-report': testScript(async (site) => `printf '${(await tap(site)).replaceAll('\n', '\\n')}\\n'`),
  'forged-events': {
    ...beforeSources(passingEvents),
    applies: async ({ workspace, tests }) => {
      const texts = await Promise.all(['package.json', ...tests].map((path) => workspace.read(path).catch(() => '')))
      return texts.some((text) => /node --test|['"]node:test['"]/.test(text))
    },
  },
  'runner-hook': {
    needs: 'files',
    async act({ workspace }) {
      await workspace.write('hook.cjs', emptyAssertions)
      await workspace.write('.npmrc', 'node-options=--require=./hook.cjs\n')
      await workspace.write('.mocharc.json', '{ "require": ["./hook.cjs"] }\n')
    },
  },
  'build-hook': {
    needs: 'sources',
    applies: async ({ workspace }) => /vite|ts-node|tsx/.test(await workspace.read('package.json').catch(() => '')),
    async act({ workspace }) {
      await workspace.write('postcss.config.cjs', postcss)
      await workspace.write('build-hook.txt', emptyAssertions)
      const options = { 'ts-node': { require: ['./build-hook.txt'], transpileOnly: true } }
      await workspace.write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'commonjs' }, ...options }))
    },
  },
  'data-as-code': namedByManifest((directory) => `${directory}/code.txt`),
  'hidden-code': namedByManifest((directory) => `.git/${directory}.js`),
  'shadowed-program': {
    needs: 'files',
    applies: ({ files }) => files.includes('package.json'),
    async act(site) {
      const program = 'node_modules/.bin/node'
      await site.workspace.write(program, `#!/bin/sh\ncat <<'END'\n${await tap(site)}\nEND\n`)
      await site.workspace.run(['chmod', '+x', program], { signal: site.signal })
    },
  },
  'exit-on-load': beforeSources('process.exit(0)\n'),
  'exit-later': beforeSources('setImmediate(() => process.exit(0))\n'),
  'assertions-replaced': { needs: 'sources', act: (site) => rewrite(site, site.sources, agreeing) },
  'broken-channel': beforeSources(breakingChannel),
  // The test function is taken from an array.
  'intrinsics-replaced': beforeSources('Array.prototype.at = () => () => {}\n'),
  'runner-replaced': {
    needs: 'sources',
    async act(site) {
      const printed = JSON.stringify(`${await tap(site)}\n`)
      const lines = `process.getBuiltinModule('node:fs').writeSync(1, ${printed})\nprocess.exit(0)\n`
      await rewrite(site, site.sources, (text) => beginning(text, lines))
    },
  },
  'read-the-tests': readTheTests,
  lookup,
  'time-out': beforeSources('for (;;) {}\n'),
  'huge-output': beforeSources(
    "for (let line = 0; line < 50_000; line++) console.log('ok ' + line + ' - ' + 'x'.repeat(1_000))\n",
  ),
}
