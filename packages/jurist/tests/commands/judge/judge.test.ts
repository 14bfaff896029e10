import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'

const module = `import { fileExists, jury, outputText } from 'jurist'
export default jury({ judges: { readme: fileExists('README.md') } })
`
const config = `import { defineConfig, outputText } from 'jurist'
import rules from './rules.js'
export default defineConfig({ juries: {
  rules,
  said: outputText({ contains: 'done' }),
  broken: () => { throw new Error('no model') },
  writes: async ({ workspace }) => (await workspace.run(['touch', 'made-by-a-judge'])).exitCode === 0,
} })
`

describe.concurrent('jurist judge', () => {
  const files = { 'rules.ts': module, 'jurist.config.ts': config, 'good/README.md': '# Hello', 'bad/index.js': '' }

  test('0 for pass, 1 for fail, by a jury of the config or of a module', async () => {
    using made = project(files)
    expect((await made.jurist('judge', 'good', '--jury', 'rules')).code).toBe(0)
    const bad = await made.jurist('judge', 'bad', '--jury', './rules.ts')
    expect(bad.code).toBe(1)
    expect(bad.stdout).toContain('README.md is missing')
    expect(bad.stderr).toContain('the verdict is fail (exit code 1)')
  })

  test('takes the only jury of the config, and names several', async () => {
    using one = project({
      ...files,
      'jurist.config.ts': "import rules from './rules.js'\nexport default { juries: { rules } }\n",
    })
    expect((await one.jurist('judge', 'bad')).stdout).toContain('README.md is missing')
    using several = project(files)
    const { code, stderr } = await several.jurist('judge', 'bad')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Available: rules, said, broken, writes.')])
  })

  test('3 when the aggregate is an error', async () => {
    using made = project(files)
    const { code, stdout } = await made.jurist(
      'judge',
      'good',
      '--judge',
      '{"judges":{"b":{"use":"broken"}},"vote":{"type":"consensus","onError":"propagate"}}',
    )
    expect(stdout).toContain('no model')
    expect(code).toBe(3)
    expect((await made.jurist('judge', 'good', '--jury', 'broken')).code).toBe(3)
  })

  test('says that it copies what takes long to copy', async () => {
    using made = project({ ...files, 'good/node_modules/a/index.js': '' })
    const { stderr } = await made.jurist('judge', 'good', '--jury', 'rules')
    expect(stderr).toContain('good for the judges; --in-place judges the directory itself.')
    const inPlace = await made.jurist('judge', 'good', '--jury', 'rules', '--in-place')
    expect(inPlace.stderr).not.toContain('Copying')
  })

  test('needs no config for a module or a judge as JSON', async () => {
    using made = project({ 'rules.ts': module, 'good/README.md': '' })
    expect((await made.jurist('judge', 'good', '--jury', 'rules.ts')).code).toBe(0)
    const json = '{"type":"file-content","path":"README.md","equals":""}'
    expect((await made.jurist('judge', 'good', '--judge', json)).code).toBe(0)
  })

  test('130 when it is interrupted, with one document', async () => {
    const waiting = `export default ({ signal }) => new Promise((resolve, reject) => {
      console.error('WAITING')
      setInterval(() => undefined, 1_000)
      signal.addEventListener('abort', () => reject(signal.reason))
    })`
    using made = project({ 'judge.mjs': waiting })
    const { child, ended, said } = made.start('judge', '.', '--jury', 'judge.mjs', '--json')
    await said('WAITING')
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    expect([code, JSON.parse(stdout).error.code]).toEqual([130, 'aborted'])
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('jurist: interrupted (exit code 130)')
  })

  test('judges a copy unless --in-place', async () => {
    using made = project(files)
    await made.jurist('judge', 'good', '--jury', 'writes')
    expect(readdirSync(`${made.directory}/good`)).toEqual(['README.md'])
    expect((await made.jurist('judge', 'good', '--jury', 'writes', '--in-place')).code).toBe(0)
    expect(readdirSync(`${made.directory}/good`)).toContain('made-by-a-judge')
  })

  test('hands the answer to the judges', async () => {
    using made = project({ ...files, 'answer.txt': 'all done' })
    expect((await made.jurist('judge', 'good', '--jury', 'said', '--output-file', 'answer.txt')).code).toBe(0)
    expect((await made.jurist('judge', 'good', '--jury', 'said')).code).toBe(1)
  })
})
