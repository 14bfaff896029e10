import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../project.js'

/** Loaded before the command: notes every connection and every look-up of a name, and refuses it. */
const refusing = `
import { appendFileSync } from 'node:fs'
import dns from 'node:dns'
import net from 'node:net'
const refuse = (what) => function refused(...words) {
  appendFileSync(process.env.JURIST_TEST_CONNECTIONS, what + ' ' + JSON.stringify(words[0]) + '\\n')
  throw new Error('no connections')
}
net.Socket.prototype.connect = refuse('connect')
dns.lookup = refuse('lookup')
dns.promises.lookup = refuse('lookup')
`

test('from init to the report, no connection is tried', async () => {
  using made = project({ 'refusing.mjs': refusing })
  const connections = join(made.directory, 'connections.txt')
  const env = {
    NODE_OPTIONS: `--import=${join(made.directory, 'refusing.mjs')}`,
    JURIST_TEST_CONNECTIONS: connections,
  }
  const jurist = async (...words: readonly string[]) => (await made.startWith(env, ...words).ended).code
  expect(await jurist('init', 'evals', '--template', 'yaml')).toBe(0)
  expect(await jurist('--cwd', 'evals', 'run', '-o', 'report.html')).toBe(0)
  expect(existsSync(join(made.directory, 'evals/report.html'))).toBe(true)
  expect(existsSync(connections)).toBe(false)

  made.write({
    'asks.mjs': "export default async () => String(await fetch('http://127.0.0.1:8123').catch(() => 'refused'))",
  })
  made.write({
    'asks.config.yaml':
      'experiments: { asks: { dataset: [{ id: a, task: x }], agent: { module: ./asks.mjs }, jury: { type: output-text, equals: refused } } }',
  })
  expect(await jurist('-c', 'asks.config.yaml', 'run', '--threshold', '100%')).toBe(0)
  expect(readFileSync(connections, 'utf8')).toMatch(/^connect .*8123/)
})
