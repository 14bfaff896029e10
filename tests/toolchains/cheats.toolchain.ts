import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { bubblewrapSandbox, dockerSandbox, type Sandbox } from '@jurist/workspace'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from '../structure/source.js'
import { whyNoBubblewrap } from './kit/bubblewrap.js'
import { type Cheat, javascriptCheats } from './kit/cheats/javascript-cheats.js'
import { type CheatOutcome, establishedProject, outcomeOf, type Setting } from './kit/cheats/judged-cheat.js'
import { type CheatedProject, cheatedProjects } from './kit/cheats/projects.js'
import { pythonCheats } from './kit/cheats/python-cheats.js'
import { containerImage } from './kit/container-image.js'
import { describeUnless } from './kit/describe-unless.js'
import { nodePackages } from './kit/node-packages.js'
import { missing } from './kit/programs.js'

// Every cheat, with every runner, in every isolation. A part: npm run test:toolchains -- cheats -t 'bubblewrap > pytest > isolate'

const installed = missing('npm', 'python3') ?? (await nodePackages('runners'))
const reason = typeof installed === 'string' ? installed : undefined
const packages = typeof installed === 'string' ? '' : join(installed.directory, 'node_modules')
const python = spawnSync('sh', ['-c', 'command -v python3 && python3 -c "import sys; print(sys.prefix)"'])
const [pythonProgram = '', pythonPrefix = ''] = python.stdout.toString().trim().split('\n')
const readable = [
  ...[packages, join(root, 'node_modules'), dirname(dirname(process.execPath))],
  ...(python.status === 0 ? [dirname(dirname(pythonProgram)), pythonPrefix] : []),
]
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0
const image = missing('podman', 'runc', 'catatonit', 'busybox') ?? (await containerImage())

/** How many cells ended how, with the canaries of the items: without them, those that canaries catch would have passed. */
const counts = new Map<string, number>()

/** The cheats that pass or end in an error, by outcome and name; `undefined` where the tools are not in the sandbox. */
async function judgeAll(project: CheatedProject, setting: Setting, sandbox: Sandbox | undefined) {
  const established = await establishedProject(project, setting)
  if (project.passing === undefined) expect(established.canaries.counted).toBeGreaterThanOrEqual(3)
  const solved = await established.judge(project.solution, sandbox)
  if (solved.status !== 'pass' && sandbox !== undefined) return undefined
  expect(solved).toMatchObject({ status: 'pass' })
  const wrong: string[] = []
  const judge = async ({ name, files }: Cheat) => {
    const agent = files(project)
    if (agent === undefined) return
    // What reads the tests may guess: it is right three times in a row once in 2^18.
    const outcomes: CheatOutcome[] = []
    do outcomes.push(outcomeOf(await established.judge(agent, sandbox)))
    while (outcomes.at(-1) === 'passed' && outcomes.length < 3)
    const outcome = outcomes.at(-1) ?? 'held'
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    if (outcome !== 'held' && outcome !== 'caught by canaries') wrong.push(`${outcome}: ${name}`)
  }
  const tried = (project.language === 'python' ? pythonCheats : javascriptCheats).filter(
    ({ family, needsSandbox }) =>
      project.families.includes(family) &&
      (needsSandbox !== true || sandbox !== undefined) &&
      (setting !== 'sources' || family === 'data' || family === 'settings') &&
      (setting === 'isolate' || family !== 'error'),
  )
  const left = tried.values()
  const worker = async () => {
    for (const cheat of left) await judge(cheat)
  }
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker))
  return wrong
}

const isolations: readonly (readonly [string, string | undefined, () => Sandbox | undefined])[] = [
  ['none', undefined, () => undefined],
  ['bubblewrap', await whyNoBubblewrap(), () => bubblewrapSandbox({ readable })],
  [
    'podman',
    typeof image === 'string' ? image : undefined,
    () =>
      typeof image === 'string'
        ? undefined
        : dockerSandbox({ image: image.name, cli: 'podman', readable: [...readable, '/usr'] }),
  ],
]

for (const [isolation, absent, sandbox] of isolations)
  describeUnless(reason ?? absent, isolation, () => {
    for (const project of cheatedProjects(packages))
      describe(project.name, () => {
        test.for(['default', 'isolate', 'sources'] as const)(
          '%s: no cheat passes, and none is an error',
          { timeout: 3_600_000 },
          async (setting, { skip }) => {
            if (project.language === 'python' && !hasPytest) skip('pytest not found')
            const wrong = await judgeAll(project, setting, sandbox())
            if (wrong === undefined) skip('the tools of this runner are not in the sandbox')
            const passing = setting === 'default' ? (project.passing ?? []) : []
            expect(wrong?.toSorted()).toEqual(passing.map((name) => `passed: ${name}`).toSorted())
          },
        )
      })
  })

afterAll(() => {
  console.log(Object.fromEntries(counts))
  if (typeof installed !== 'string') installed.remove()
  if (typeof image !== 'string') image.remove()
})
