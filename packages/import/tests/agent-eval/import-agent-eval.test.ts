import { existsSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../../jurist/tests/project.js'

/** The Vitest of this repository. */
const vitest = fileURLToPath(new URL('../../../../node_modules/vitest', import.meta.url))

const manifest = (more: object = {}) =>
  JSON.stringify({
    name: 'fixture',
    type: 'module',
    scripts: { build: 'node --check src/add.js' },
    devDependencies: { vitest: '^4.0.0' },
    ...more,
  })

const adds = `import { expect, test } from 'vitest'
import { add } from './src/add.js'
test('adds', () => expect(add(1, 2)).toBe(3))
test('adds negative numbers', () => expect(add(-1, -2)).toBe(-3))
`

const suite = {
  'evals/add/PROMPT.md': 'Write `add(a, b)` in src/add.js.\n',
  'evals/add/EVAL.ts': adds,
  'evals/add/package.json': manifest(),
  'evals/add/notes/EVAL.ts': 'never seen\n',
  'evals/add/notes/keep.md': 'kept\n',
  'evals/add/node_modules/left/index.js': 'installed again\n',
}

const dataset = 'evals-jurist/dataset'
const read = (at: Project, path: string) => readFileSync(join(at.directory, path), 'utf8')

/** Lets an agent, a shell line, work on the items. Returns the outcomes of the judges of `add`. */
async function judged(at: Project, agent: string) {
  const config = join(at.directory, 'evals-jurist/jurist.config.yaml')
  const command = `agent: { command: [bash, -c, ${JSON.stringify(agent)}], stdin: none }`
  // Without a network: npm would install what the link leads to.
  const install = `mkdir -p node_modules/.bin && ln -s ${vitest} node_modules/vitest && ln -s ../vitest/vitest.mjs node_modules/.bin/vitest`
  const text = readFileSync(config, 'utf8').replace(/agent: .*/, () => command)
  writeFileSync(
    config,
    text.replace('[ npm, install, --no-audit, --no-fund ]', () => JSON.stringify(install)),
  )
  const { stdout } = await at.jurist('-C', 'evals-jurist', 'run', '--json')
  const { individual } = JSON.parse(stdout).results[0].items[0].verdict.subVerdicts.item
  return Object.fromEntries(
    Object.entries(individual as Record<string, { status: string }>).map(([name, { status }]) => [name, status]),
  )
}

describe('jurist import agent-eval', () => {
  test('hides what agents must not see, and takes nothing else away', async () => {
    using at = project(suite)
    const { code, stdout } = await at.jurist('import', 'agent-eval', 'evals')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`1 item of 1 task in ${dataset}`)])
    expect(read(at, `${dataset}/items/add/task.md`)).toBe(suite['evals/add/PROMPT.md'])
    const before = join(at.directory, dataset, 'items/add/before')
    expect(readdirSync(before, { recursive: true }).sort()).toEqual(['notes', 'notes/keep.md', 'package.json'])
    expect(read(at, `${dataset}/items/add/hidden/EVAL.ts`)).toBe(adds)
  })

  test('its tests judge the work, and the agent cannot change them', async () => {
    using at = project(suite)
    await at.jurist('import', 'agent-eval', '.', '--script', 'build')
    const write = (code: string) => `mkdir -p src; echo '${code}' > src/add.js`
    expect(await judged(at, write('export const add = (a, b) => a + b'))).toEqual({
      tests: 'pass',
      'script build': 'pass',
    })
    expect(await judged(at, 'true')).toEqual({ tests: 'fail', 'script build': 'fail' })
    expect(await judged(at, write('export const add = (a, b) => a +'))).toEqual({
      tests: 'fail',
      'script build': 'fail',
    })
    const others = "printf 'export default { test: { include: [], passWithNoTests: true } }' > vitest.config.mts"
    const forged = `echo "import { test } from 'vitest'; test('ok', () => {})" > EVAL.ts; echo '{"success":true}' > vitest-report.json`
    const wrong = write('export const add = () => 3')
    expect(await judged(at, `${others}; cp vitest.config.mts vitest.config.ts; ${forged}; ${wrong}`)).toMatchObject({
      tests: 'fail',
    })
    expect(await judged(at, write('process.exit(0)'))).toMatchObject({ tests: 'fail' })
  })

  test('EVAL.tsx comes before EVAL.ts, directories may be nested, and ids are different', async () => {
    using at = project({
      ...suite,
      'evals/pages/add/PROMPT.md': 'Add.\n',
      'evals/pages/add/EVAL.ts': adds,
      'evals/pages/add/EVAL.tsx': adds,
      'evals/pages/add/package.json': manifest(),
      'evals/.hidden/PROMPT.md': 'Not found.\n',
      'evals/readme/prompt.md': 'Not one either.\n',
    })
    const { stdout } = await at.jurist('import', 'agent-eval', '.', '--json')
    expect(JSON.parse(stdout).items).toEqual(['add', 'pages-add'])
    const { judges } = JSON.parse(read(at, `${dataset}/items/pages-add/item.json`))
    expect(judges.tests.overlay).toEqual({ from: 'hidden', paths: ['EVAL.tsx', 'vitest.config.ts'] })
    expect(readdirSync(join(at.directory, dataset, 'items/pages-add/before'))).toEqual(['package.json'])
  })

  test('names what it does not import, and disables what agent-eval alone can judge', async () => {
    using at = project({
      ...suite,
      'evals/seen/PROMPT.md': 'Add.\n',
      'evals/seen/EVAL.ts': `${adds}import { transcript } from '@vercel/agent-eval/eval'\n`,
      'evals/seen/test/grade.ts': `\nexport { judge } from '@vercel/agent-eval/eval'\n`,
      'evals/seen/package.json': manifest({ devDependencies: {}, scripts: {} }),
      'experiments/opus.ts': 'export default { agent: "claude-code" }\n',
    })
    const { stdout } = await at.jurist('import', 'agent-eval', '.', '--script', 'build', '--json')
    expect(JSON.parse(stdout).notes).toEqual([
      { of: 'seen', note: expect.stringMatching(/^EVAL\.ts:5 uses @vercel\/agent-eval, .* disabled$/) },
      { of: 'seen', note: expect.stringMatching(/^test\/grade\.ts:2 uses @vercel\/agent-eval, .* disabled$/) },
      { of: 'seen', note: expect.stringContaining('does not name vitest') },
      { of: 'seen', note: expect.stringContaining('no script "build"') },
      { of: 'experiments/opus.ts', note: expect.stringContaining('not imported') },
    ])
    expect(JSON.parse(read(at, `${dataset}/dataset.json`)).items).toMatchObject([
      { id: 'add' },
      { id: 'seen', status: 'disabled' },
    ])
  })

  test('installs with the lock file that most of them have', async () => {
    using at = project({ ...suite, 'evals/add/pnpm-lock.yaml': 'lockfileVersion: 9\n' })
    await at.jurist('import', 'agent-eval', '.')
    expect(read(at, 'evals-jurist/jurist.config.yaml')).toMatch(
      /pnpm, install.*inputs: \[ package.json, pnpm-lock.yaml \]/,
    )
  })

  test('refuses everything that is wrong with one error, and writes nothing', async () => {
    using at = project({
      'evals/a/PROMPT.md': ' \n',
      'evals/a/EVAL.ts': adds,
      'evals/a/package.json': '{"type":"commonjs"}',
      'evals/b/PROMPT.md': 'Add.\n',
      'evals/b/package.json': '{',
      'evals/c/PROMPT.md': 'Add.\n',
      'evals/c/EVAL.ts': adds,
      'evals/c/package.json': manifest(),
      'evals/c/huge.bin': '',
      'secret.txt': 'secret\n',
    })
    truncateSync(join(at.directory, 'evals/c/huge.bin'), 65 * 1024 * 1024)
    symlinkSync('../../secret.txt', join(at.directory, 'evals/c/out'))
    const { code, stderr } = await at.jurist('import', 'agent-eval', '.')
    expect(code).toBe(2)
    for (const line of [
      'evals/a/PROMPT.md: is empty',
      'evals/a/package.json: has no "type": "module"',
      'evals/b/EVAL.ts: is missing',
      'evals/b/package.json: is not JSON',
      'evals/c/huge.bin: has 68157440 bytes',
      'evals/c/out: is a link that leads out',
    ])
      expect(stderr).toContain(line)
    expect(readdirSync(at.directory).sort()).toEqual(['evals', 'secret.txt'])
  })

  test.each([
    [['import', 'agent-eval', 'evals'], 'holds no PROMPT.md'],
    [['import', 'agent-eval', 'nowhere'], 'is not a directory'],
    [['import', 'agent-eval', '.', '--script', 'bild'], 'has a script "bild"'],
    [['import', 'git', '--script', 'build'], '--script belongs to "jurist import agent-eval"'],
  ])('refuses %j', async (argv, message) => {
    using at = project(argv.includes('evals') ? { 'evals/readme.md': '' } : suite)
    const { code, stderr } = await at.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(join(at.directory, 'evals-jurist'))).toBe(false)
  })

  test('leaves a directory that is there as it is', async () => {
    using at = project({ ...suite, 'evals-jurist/mine.txt': 'mine\n' })
    const { code, stderr } = await at.jurist('import', 'agent-eval', '.')
    expect([code, stderr]).toEqual([2, expect.stringContaining('exists already')])
    expect(readdirSync(join(at.directory, 'evals-jurist'))).toEqual(['mine.txt'])
  })
})
