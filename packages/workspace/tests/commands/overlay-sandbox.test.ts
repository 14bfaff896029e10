import { dirname } from 'node:path'
import { runJudge } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { bubblewrapSandbox, copyOf, localWorkspace } from '@jurist/workspace'
import { testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'

const sandbox = bubblewrapSandbox({ readable: [dirname(dirname(process.execPath))] })
const works = await sandbox.probe().then(
  () => true,
  () => false,
)

test.skipIf(!works)(
  'a hidden test runs in the sandbox of the workspace (skipped where bubblewrap does not work)',
  async () => {
    await using origin = await temporaryWorkspace({ 'a.txt': 'left by the agent' })
    await using workspace = await copyOf(origin.root, { sandbox })
    const peek = `const { existsSync } = require('node:fs')
    const seen = existsSync(${JSON.stringify(origin.root)}) || require('node:process').cwd() !== '/workspace'
    console.log('1..1\\n' + (seen ? 'not ok' : 'ok') + ' 1 - nothing of the machine is seen')`
    const reference = memoryWorkspace({ 'hidden.cjs': peek })
    const judge = testsPass.command([process.execPath, 'hidden.cjs'], {
      overlay: { from: reference, paths: ['hidden.cjs'] },
    })
    const judgment = await runJudge(judge, { workspace })
    expect([judgment.status, judgment.reasoning]).toEqual(['pass', expect.anything()])
    expect(await workspace.exists('hidden.cjs')).toBe(false)
  },
)

test('a workspace whose settings are not known is not run outside its sandbox', async () => {
  await using local = await temporaryWorkspace({ 'a.txt': '' })
  const foreign = { ...localWorkspace(local.root), sandbox: { name: 'own', isolation: 'container' as const } }
  const reference = memoryWorkspace({ 't.sh': 'exit 0' })
  const judge = testsPass.command(['sh', 't.sh'], { overlay: { from: reference, paths: ['t.sh'] } })
  expect(await runJudge(judge, { workspace: foreign })).toMatchObject({
    status: 'error',
    failure: { code: 'sandbox-unavailable' },
  })
})

test.skipIf(!works)(
  'ids of Vitest and Jest are the same in a sandbox (skipped where bubblewrap does not work)',
  async () => {
    const writer = `const [, path] = process.argv.at(-1).split('=')
const assertionResults = [{ title: 'adds', ancestorTitles: [], status: 'passed' }]
const testResults = [{ name: process.cwd() + '/tests/a.test.js', status: 'passed', assertionResults }]
require('fs').writeFileSync(path, JSON.stringify({ testResults }))`
    await using origin = await temporaryWorkspace({ 'writer.cjs': writer })
    await using workspace = await copyOf(origin.root, { sandbox })
    const command = [process.execPath, 'writer.cjs', '--outputFile=report.json']
    const options = { reports: 'report.json', mustPass: ['tests/a.test.js > adds'] }
    expect(await runJudge(testsPass.command(command, options), { workspace })).toMatchObject({
      status: 'pass',
      checks: [{ name: 'tests/a.test.js > adds' }],
    })
  },
)
