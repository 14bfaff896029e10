import { expect, test } from 'vitest'
import { project } from './project.js'

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
  expect(stderr).toMatch(/one #1 {2}TypeError: agent boom\n +at .*jurist\.config\.mjs:3:/)
  expect(stderr).toMatch(/two #1 {2}RangeError: judge boom\n +at .*jurist\.config\.mjs:7:/)
  expect((await made.jurist('run')).stderr).not.toContain('jurist.config.mjs:3')
  // Nothing of it is stored.
  expect((await made.jurist('show', 'latest', '--json')).stdout).not.toContain('jurist.config.mjs:3')
})
