import { dirname } from 'node:path'
import { datasetFile, jsonFile } from '@jurist/import/internal'
import { bubblewrapSandbox } from '@jurist/workspace'

/** A task of the template `coding`: the files of its states without `package.json`, and its judge. */
interface CodingTask {
  readonly task: string
  readonly source: string
  readonly before: string
  readonly reference: string
  readonly imports: string
  /** Tests that the agent sees, by name. */
  readonly visible: Readonly<Record<string, string>>
  /** Tests that the agent never sees. */
  readonly hidden: Readonly<Record<string, string>>
  /** Names of tests that pass before the agent begins. */
  readonly staying: readonly string[]
}

const tasks: Readonly<Record<string, CodingTask>> = {
  range: {
    task: '`range(1, 3)` returns `[1, 2]`. It should include the end. Fix `src/range.js`.',
    source: 'src/range.js',
    before: rangeSource('<'),
    reference: rangeSource('<='),
    imports: "import { range } from '../src/range.js'",
    visible: {
      'is empty from 2 to 1': 'assert.deepEqual(range(2, 1), [])',
      'includes the end': 'assert.deepEqual(range(1, 3), [1, 2, 3])',
    },
    hidden: { 'of one number': 'assert.deepEqual(range(5, 5), [5])' },
    staying: ['is empty from 2 to 1'],
  },
  initials: {
    task: '`initials("ada lovelace")` returns `"al"`. Initials are in upper case. Fix `src/initials.js`.',
    source: 'src/initials.js',
    before: initialsSource(''),
    reference: initialsSource('.toUpperCase()'),
    imports: "import { initials } from '../src/initials.js'",
    visible: {
      'of nothing': "assert.equal(initials(''), '')",
      'in upper case': "assert.equal(initials('ada lovelace'), 'AL')",
    },
    hidden: { 'of three words': "assert.equal(initials('one two three'), 'OTT')" },
    staying: ['of nothing'],
  },
}

function rangeSource(comparison: string): string {
  return `export function range(from, to) {
  const numbers = []
  for (let number = from; number ${comparison} to; number++) numbers.push(number)
  return numbers
}
`
}

function initialsSource(ending: string): string {
  return `export function initials(name) {
  return name.split(' ').map((word) => word.slice(0, 1)).join('')${ending}
}
`
}

function testFile(imports: string, tests: Readonly<Record<string, string>>): string {
  const lines = Object.entries(tests).map(([name, check]) => `test('${name}', () => ${check})\n`)
  return `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n${imports}\n\n${lines.join('')}`
}

/** Returns the judge of a task: its hidden tests, which replace those in a copy of the agent's work. */
function judgeOf({ visible, hidden, staying }: CodingTask) {
  const all = [...Object.keys(visible), ...Object.keys(hidden)]
  return {
    type: 'tests-pass',
    tool: 'npm',
    overlay: { paths: ['test', 'package.json'] },
    mustPass: all.filter((name) => !staying.includes(name)),
    mustStayPassing: staying,
    minTests: all.length,
    isolate: 'child',
  }
}

function itemFiles(id: string, task: CodingTask): Readonly<Record<string, string>> {
  const root = `dataset/items/${id}`
  const manifest = jsonFile({ name: id, private: true, type: 'module', scripts: { test: 'node --test' } })
  const test = `test/${id}.test.js`
  return {
    [`${root}/item.json`]: jsonFile({ tags: ['bugfix'], judges: { hidden: judgeOf(task) } }),
    [`${root}/task.md`]: `${task.task}\n`,
    [`${root}/before/package.json`]: manifest,
    [`${root}/before/${task.source}`]: task.before,
    [`${root}/before/${test}`]: testFile(task.imports, task.visible),
    [`${root}/reference/package.json`]: manifest,
    [`${root}/reference/${task.source}`]: task.reference,
    [`${root}/reference/${test}`]: testFile(task.imports, { ...task.visible, ...task.hidden }),
  }
}

const config = `# yaml-language-server: $schema=./jurist.schema.json
experiments:
  fixes:
    dataset: dataset
    agent: { command: [node, agent.mjs, "{{prompt}}"] }
    # The items name commands of their own (their tests). Set this only for datasets that you trust.
    trustItems: true
    # Where the agent and the tests run: none (on this machine, the default), auto, bubblewrap, docker:<image>.
    # With this (Linux) they reach the hosts of the list and nothing else, and of your files they see the workspace and what is
    # readable. Name the host of the agent's model, and every file of the agent.
    # sandbox: { bubblewrap: { network: { allow: [] }, readable: [agent.mjs] } }
    # Each item adds its hidden tests to this jury: see dataset/items/*/item.json.
    jury: { type: tests-pass, tool: npm }
thresholds: { passRate: 1 }
`

const agent = `// Replace this with your coding agent. It starts in the workspace, with the prompt as its argument.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const replace = (file, from, to) => {
  if (existsSync(file)) writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}
replace('src/range.js', 'number < to', 'number <= to')
replace('src/initials.js', "join('')", "join('').toUpperCase()")
`

/** The files of the template `coding`: repairs that hidden tests judge. */
export const codingFiles: Readonly<Record<string, string>> = {
  'jurist.config.yaml': config,
  'agent.mjs': agent,
  'dataset/dataset.json': datasetFile(
    'fixes',
    Object.keys(tasks).map((id) => ({ id })),
  ),
  ...Object.assign({}, ...Object.entries(tasks).map(([id, task]) => itemFiles(id, task))),
}

const line = '# sandbox: { bubblewrap: { network: { allow: [] }, readable: [agent.mjs] } }'
const patienceMs = 8_000

/** Switches the allow-list of the template on, if an allow-list works on this machine. */
export async function closedWhereItWorks(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly files: Readonly<Record<string, string>>; readonly isClosed: boolean }> {
  const text = files['jurist.config.yaml']
  if (text === undefined) return { files, isClosed: false }
  // A Node of a version manager is outside of the directories that a sandbox shows.
  const place = dirname(dirname(process.execPath))
  const readable = ['agent.mjs', ...(process.execPath.startsWith('/usr/') ? [] : [JSON.stringify(place)])]
  const isClosed = await bubblewrapSandbox({ network: { allow: [] } })
    .probe(AbortSignal.timeout(patienceMs))
    .then(() => true)
    .catch(() => false)
  if (!isClosed) return { files, isClosed }
  const open = line.slice(2).replace('[agent.mjs]', `[${readable.join(', ')}]`)
  return { files: { ...files, 'jurist.config.yaml': text.replace(line, open) }, isClosed }
}
