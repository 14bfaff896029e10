// node bench/programs/prove-mutants.mjs humanevalpack.jsonl DIRECTORY
//
// Makes a dataset of HumanEvalPack (https://github.com/bigcode-project/octopack) for `jurist mutate`, with a jury that runs all
// tests in its own process. Programs whose tests do not pass here, such as those that need a package, are left out.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import vm from 'node:vm'
import { root } from '../measure.mjs'

const [file, directory] = process.argv.slice(2)
if (file === undefined || directory === undefined) {
  console.error('usage: node bench/programs/prove-mutants.mjs humanevalpack.jsonl DIRECTORY')
  process.exit(2)
}

const config = `import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import { createRequire } from 'node:module'
import { defineConfig, fail, pass } from 'jurist'

const require = createRequire(import.meta.url)
const place = (id, path) => new URL(\`items/\${id}/\${path}\`, import.meta.url)
const testsOf = (id) => ['before/example.test.js', 'reference/full.test.js'].map((path) => readFileSync(place(id, path), 'utf8'))
const assert = (holds) => { if (!holds) throw new Error('a test does not hold') }
const console = { log() {}, error() {}, assert }
async function works({ workspace, metadata }) {
  const code = await workspace.read('solution.js')
  try {
    for (const test of testsOf(metadata.itemId)) {
      const context = vm.createContext({ console, require, module: { exports: {} }, exports: {} })
      vm.runInContext(\`(() => {\${code}\\n;(() => {\${test}\\n})()})()\`, context, { timeout: 400 })
    }
    return pass('all tests hold')
  } catch (thrown) {
    return fail(String(thrown))
  }
}
export default defineConfig({
  experiments: { hep: { dataset: '.', agent: () => ({ status: 'completed' }), jury: works } },
})
`

function holds(source, tests) {
  const assert = (one) => {
    if (!one) throw new Error('a test does not hold')
  }
  try {
    for (const test of tests)
      vm.runInNewContext(
        `${source}\n;${test}`,
        { console: { log() {}, error() {}, assert }, module: {} },
        { timeout: 5_000 },
      )
    return true
  } catch {
    return false
  }
}

function write(path, text) {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

const items = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
  .flatMap((task) => {
    const id = task.task_id.replace('/', '-')
    const [, name] = /^\s*(?:const|function|async function)\s+(\w+)/m.exec(task.declaration) ?? []
    const sourceOf = (body) =>
      `${task.declaration}${body}\nif (typeof module !== 'undefined') module.exports = { ${name} }\n`
    if (!holds(sourceOf(task.canonical_solution), [task.example_test, task.test])) return []
    write(`items/${id}/item.json`, JSON.stringify({ developerTask: task.instruction }))
    write(`items/${id}/before/solution.js`, sourceOf(task.buggy_solution))
    write(`items/${id}/before/example.test.js`, task.example_test)
    write(`items/${id}/reference/solution.js`, sourceOf(task.canonical_solution))
    write(`items/${id}/reference/full.test.js`, task.test)
    return [{ id, path: `items/${id}` }]
  })
write('dataset.json', JSON.stringify({ schemaVersion: 1, name: 'hep', version: '1.0.0', items }, null, 2))
write('jurist.config.mjs', config)
mkdirSync(join(directory, 'node_modules'), { recursive: true })
symlinkSync(join(root, 'packages/jurist'), join(directory, 'node_modules/jurist'))
console.log(`${items.length} items. Now: jurist -C ${directory} mutate --per-item 40 --where function --prove`)
