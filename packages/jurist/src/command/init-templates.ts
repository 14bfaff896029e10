import { workflow } from './init-ci.js'
import { codingFiles } from './init-coding.js'
import { projectFilesOf } from './init-project.js'
import { ragFiles } from './init-rag.js'
import { vitestFiles } from './init-vitest.js'

/** The projects that `jurist init` makes. */
export const templates = ['minimal', 'agent', 'jury', 'yaml', 'coding', 'rag', 'vitest', 'ci'] as const
export type Template = (typeof templates)[number]

const dataset = {
  schemaVersion: 1,
  name: 'example',
  version: '1',
  items: [
    { id: 'add-readme', path: 'items/add-readme' },
    { id: 'keep-readme', path: 'items/keep-readme' },
  ],
}

const tasks = {
  'add-readme': { developerTask: 'Add a README.md whose first line is the title "# Hello".', tags: ['simple'] },
  'keep-readme': { developerTask: 'The README.md needs no changes. Change nothing.', noChange: true },
}

const datasetFiles: Readonly<Record<string, string>> = {
  'dataset/dataset.json': json(dataset),
  'dataset/items/add-readme/item.json': json(tasks['add-readme']),
  'dataset/items/add-readme/before/index.js': "console.log('Hello')\n",
  'dataset/items/keep-readme/item.json': json(tasks['keep-readme']),
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
  ['npm install', 'once'],
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

/** The files of a project by path. Each project runs without network or key. */
export function templateFiles(template: Template): Readonly<Record<string, string>> {
  const own = files[template]
  const isVitest = template === 'vitest'
  const steps = isVitest ? vitestSteps : [...usualSteps, ...(moreSteps[template] ?? [])]
  const isTypeScript = Object.keys(own).some((path) => /^[^/]+\.ts$/.test(path))
  return { ...own, '.gitignore': ignored, ...projectFilesOf({ isTypeScript, isVitest, steps }) }
}

/** The command line that runs a new project. */
export function firstStep(template: Template): string {
  return template === 'vitest' ? 'npm install && npx vitest run' : 'npx jurist run'
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
