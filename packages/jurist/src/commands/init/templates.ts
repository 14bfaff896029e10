import { datasetFile, jsonFile } from '@jurist/import/internal'
import { calledAs } from '@jurist/kit/command-line'
import { codingFiles } from './coding.js'
import { projectFilesOf, workflow } from './project.js'

const ragRows = [
  {
    ...{ id: 'boiling', task: 'How long does the Heron 3 need to boil one litre?', expected: '2 minutes 40 seconds' },
    context: ['The Heron 3 boils one litre in 2 minutes 40 seconds.'],
    output: 'It needs 2 minutes 40 seconds.',
  },
  {
    ...{ id: 'descaling', task: 'How often must the Heron 3 be descaled?', expected: 'every three months' },
    context: ['Descale the kettle every three months with citric acid.', 'The kettle weighs 1.1 kg.'],
    output: 'Descale it every three months.',
  },
]

const ragConfig = `# yaml-language-server: $schema=./jurist.schema.json
# Judges the answers in questions.jsonl: "context" is what was retrieved, "output" what was answered. To judge your own system,
# leave the outputs out and name a program that prints its answer:  agent: { command: [node, answer.mjs, "{{prompt}}"] }
#
# Model judges are prepared: remove "#: " from the lines that begin with it, and set OPENAI_API_KEY.
#: models:
#:   judge: { provider: openai-compatible, model: gpt-5-mini, baseUrl: "https://api.openai.com/v1", apiKeyEnv: OPENAI_API_KEY }
experiments:
  answers:
    dataset: questions.jsonl
    jury:
      judges:
        expected: { type: matches-expected, by: includes }
        short: { type: output-text, matches: "^.{1,200}$" }
#:         faithful: { type: faithfulness, model: judge }
#:         retrieval: { type: contextual-relevance, model: judge }
      vote: consensus
thresholds: { passRate: 0.9 }
`

/** The files of the template `rag`: recorded answers with what was retrieved. */
const ragFiles: Readonly<Record<string, string>> = {
  'jurist.config.yaml': ragConfig,
  'questions.jsonl': ragRows.map((row) => `${JSON.stringify(row)}\n`).join(''),
}

const vitestConfig = `import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    setupFiles: ['@jurist/vitest'],
    reporters: ['default', ['@jurist/vitest/reporter', { store: 'results' }]],
  },
})
`

const vitestTest = `import { consensus, fileContent, fileExists, jury } from 'jurist'
import { copyOf } from 'jurist/workspace'
import { expect, test } from 'vitest'
import { agent } from '../agent.js'

const readme = jury({
  judges: { exists: fileExists('README.md'), title: fileContent('README.md', { matches: '^# Hello' }) },
  vote: consensus(),
})

test('the agent adds a readme', async () => {
  await using workspace = await copyOf('fixtures/before')
  await agent({ prompt: 'Add a README.md.', workspace, signal: AbortSignal.timeout(60_000) })
  await expect(workspace).toPass(readme)
})
`

/** The files of the template `vitest` next to `agent.ts`: juries as matchers. */
const vitestFiles: Readonly<Record<string, string>> = {
  'vitest.config.ts': vitestConfig,
  'tests/readme.test.ts': vitestTest,
  'fixtures/before/index.js': "console.log('Hello')\n",
}

export const templates = ['minimal', 'agent', 'jury', 'yaml', 'coding', 'rag', 'vitest', 'ci'] as const
type Template = (typeof templates)[number]

const tasks = {
  'add-readme': { developerTask: 'Add a README.md whose first line is the title "# Hello".', tags: ['simple'] },
  'keep-readme': { developerTask: 'The README.md needs no changes. Change nothing.', noChange: true },
}

const datasetFiles: Readonly<Record<string, string>> = {
  'dataset/dataset.json': datasetFile('example', [{ id: 'add-readme' }, { id: 'keep-readme' }]),
  'dataset/items/add-readme/item.json': jsonFile(tasks['add-readme']),
  'dataset/items/add-readme/before/index.js': "console.log('Hello')\n",
  'dataset/items/keep-readme/item.json': jsonFile(tasks['keep-readme']),
  'dataset/items/keep-readme/before/README.md': '# Hello\n\nSays hello.\n',
}

const agentSource = `import type { Agent } from 'jurist'

/** Replace this with your agent. It works in \`workspace\` and stops when \`signal\` fires. */
export const agent: Agent = async ({ workspace }) => {
  if (!(await workspace.exists('README.md'))) await workspace.write('README.md', '# Hello\\n')
  return { status: 'completed', costUsd: 0 }
}
`

const jurySource = `import { cascade, fileContent, fileExists, jury, mustDecide } from 'jurist'

// An abstention passes a gate. \`mustDecide\` turns it into a fail, whichever judge you use here.
const rules = jury({ judges: { readme: mustDecide(fileExists('README.md')) } })
const content = jury({ judges: { title: fileContent('README.md', { matches: '^# Hello' }) } })

/** Cheap judges first: without a README the second tier does not run. */
export default cascade([
  { name: 'rules', jury: rules, policy: 'reject-on-any-fail' },
  { name: 'content', jury: content, policy: 'final' },
])
`

const minimal = `import { type Agent, defineConfig, fileContent, fileExists, jury } from 'jurist'

/** Replace this with your agent. It works in \`workspace\` and stops when \`signal\` fires. */
const agent: Agent = async ({ workspace }) => {
  if (!(await workspace.exists('README.md'))) await workspace.write('README.md', '# Hello\\n')
  return { status: 'completed', costUsd: 0 }
}

const readme = jury({
  judges: { exists: fileExists('README.md'), title: fileContent('README.md', { matches: '^# Hello' }) },
})

export default defineConfig({
  experiments: { 'add-readme': { dataset: 'dataset', agent, jury: readme } },
  juries: { readme },
  thresholds: { passRate: 0.8 },
})
`

const withAgent = `import { defineConfig, fileContent, fileExists, jury } from 'jurist'
import { agent } from './agent.js'

const readme = jury({
  judges: { exists: fileExists('README.md'), title: fileContent('README.md', { matches: '^# Hello' }) },
})

export default defineConfig({
  experiments: {
    'add-readme': {
      dataset: 'dataset',
      agent,
      jury: readme,
      // A baseline that does nothing, and the agent under test.
      variants: { idle: { agent: () => ({ status: 'completed', costUsd: 0 }) }, agent: {} },
    },
  },
  juries: { readme },
})
`

const withJury = `import { defineConfig } from 'jurist'
import { agent } from './agent.js'
import readme from './jury.js'

export default defineConfig({
  experiments: { 'add-readme': { dataset: 'dataset', agent, jury: readme, repetitions: 2 } },
  juries: { readme },
  thresholds: { passRate: 0.8 },
})
`

const yaml = `# yaml-language-server: $schema=./jurist.schema.json
experiments:
  add-readme:
    dataset: dataset
    agent: { command: [node, agent.mjs, "{{prompt}}"] }
    # Where commands of agents and judges run: none (on this machine, the default), auto, bubblewrap, docker:<image>.
    # sandbox: bubblewrap
    jury:
      cascade:
        # An abstention passes a gate. mustDecide turns it into a fail, whichever judge you use here.
        - { name: rules, policy: reject-on-any-fail, jury: { type: file-exists, path: README.md, mustDecide: fail } }
        - { name: content, policy: final, jury: { type: file-content, path: README.md, matches: "^# Hello" } }
thresholds: { passRate: 0.8 }
`

const commandAgent = `// Replace this with your agent. It starts in the workspace, with the prompt as its argument.
import { existsSync, writeFileSync } from 'node:fs'

if (!existsSync('README.md')) writeFileSync('README.md', '# Hello\\n')
`

const ignored = 'node_modules/\nresults/\n'

const files: { readonly [name in Template]: Readonly<Record<string, string>> } = {
  minimal: { 'jurist.config.ts': minimal, ...datasetFiles },
  agent: { 'jurist.config.ts': withAgent, 'agent.ts': agentSource, ...datasetFiles },
  jury: { 'jurist.config.ts': withJury, 'agent.ts': agentSource, 'jury.ts': jurySource, ...datasetFiles },
  yaml: { 'jurist.config.yaml': yaml, 'agent.mjs': commandAgent, ...datasetFiles },
  coding: codingFiles,
  rag: ragFiles,
  vitest: { ...vitestFiles, 'agent.ts': agentSource },
  ci: { 'jurist.config.ts': minimal, '.github/workflows/jurist.yml': workflow, ...datasetFiles },
}

const usualSteps = [
  ['npx jurist run', 'runs the experiment'],
  ['npx jurist show latest', 'what each trial did, and why'],
  ['npx jurist view', 'the same as a page'],
] as const

const vitestSteps = [
  ['npm install', 'once'],
  ['npx vitest run', 'runs the tests'],
  ['npx jurist view', 'what each jury said, as a page'],
] as const

const moreSteps: { readonly [name in Template]?: readonly (readonly [line: string, help: string])[] } = {
  coding: [['npx jurist vet', 'can each task be solved, and does no cheat get through?']],
  ci: [['git push', 'the workflow compares pull requests with main']],
}

/** Returns the files of a project by path. Each project runs without network or key. */
export function templateFiles(template: Template): Readonly<Record<string, string>> {
  const own = files[template]
  const isVitest = template === 'vitest'
  const steps = isVitest ? vitestSteps : [...usualSteps, ...(moreSteps[template] ?? [])]
  const isTypeScript = Object.keys(own).some((path) => /^[^/]+\.ts$/.test(path))
  return { ...own, '.gitignore': ignored, ...projectFilesOf({ isTypeScript, isVitest, steps }) }
}

/** Returns the command line that runs a new project. */
export function firstStep(template: Template): string {
  return template === 'vitest' ? 'npm install && npx vitest run' : `${calledAs()} run`
}
