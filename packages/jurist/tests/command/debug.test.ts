import { expect, test } from 'vitest'
import { project } from '../project.js'

const config = `import { completed, defineConfig } from 'jurist'
const agent = async ({ metadata }) => {
  if (metadata.itemId === 'one') throw new TypeError('agent boom') // line 3
  return completed('x')
}
const jury = () => {
  throw new RangeError('judge boom') // line 7
}
export default defineConfig({ experiments: { demo: {
  dataset: [{ id: 'one', task: 'x' }, { id: 'two', task: 'x' }, { id: 'three', task: 'x' }], agent, jury,
} } })
`

test('--debug says in which line of the config agents and judges threw, and only then', async () => {
  using made = project({ 'jurist.config.mjs': config })
  const { stderr } = await made.jurist('--debug', 'run')
  expect(stderr).toMatch(/one#1 {2}TypeError: agent boom\n +at .*jurist\.config\.mjs:3:/)
  expect(stderr).toMatch(/two#1 {2}RangeError: judge boom\n +at .*jurist\.config\.mjs:7:/)
  expect((await made.jurist('run')).stderr).not.toContain('jurist.config.mjs:3')
})

test('without it the line is in the reason, and the frames of the config are under each failure', async () => {
  using made = project({ 'jurist.config.mjs': config })
  const { stdout } = await made.jurist('run')
  expect(stdout).toContain('E one#1  error  agent boom at jurist.config.mjs:3:')
  expect(stdout).toMatch(/\? 2 trials {2}undecided {2}judge boom at jurist\.config\.mjs:7:\d+\n +two#1, three#1/)
  const one = (await made.jurist('show', 'latest', 'one')).stdout
  expect(one).toMatch(/Failure of agent: agent boom\n +at agent \(jurist\.config\.mjs:3:\d+\)/)
  const two = (await made.jurist('show', 'latest', 'two')).stdout
  expect(two).toMatch(/RangeError: judge boom\n +at .*jurist\.config\.mjs:7:\d+/)
  expect(`${one}${two}`).not.toMatch(/node:internal|dist\/|file:/)
})
