import { type Judge, runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { buildSucceeds, commandSucceeds, testsPass } from '@jurist/workspace/commands'
import { readOnly } from '@jurist/workspace/internal'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

type Files = { readonly [path: string]: TemporaryFile }
const missing = 'no-such-tool-here'

async function judged(judge: Judge, work: Files, { before, reference }: { before?: Files; reference?: Files } = {}) {
  await using workspace = await temporaryWorkspace(work)
  await using given = await temporaryWorkspace(before ?? {})
  await using solution = await temporaryWorkspace(reference ?? {})
  const judgment = await runJudge(
    judge,
    aContext({
      workspace,
      ...(before === undefined ? {} : { before: readOnly(given) }),
      ...(reference === undefined ? {} : { reference: readOnly(solution) }),
    }),
  )
  const { status, reasoning, metadata } = judgment
  const code = judgment.status === 'error' ? judgment.failure.code : undefined
  return { status, reasoning, code, problem: metadata['environmentProblem'] }
}

describe('a tool that the line of the user names and the machine does not have', () => {
  test.each([
    ['commandSucceeds', commandSucceeds(`${missing} assemble`)],
    ['after another command', commandSucceeds(`cd . && CI=1 ${missing} | cat; exit 127`)],
    ['buildSucceeds', buildSucceeds.command(`${missing} assemble`)],
    ['testsPass', testsPass.command(`${missing} test`)],
  ])('is an error: %s', async (_, judge) => {
    const { status, code, reasoning } = await judged(judge, {})
    expect([status, code]).toEqual(['error', 'not-started'])
    expect(reasoning).toContain(`could not be run: ${missing} was not found`)
  })
  test('is a fail where the agent says it', async () => {
    const script = `echo "bash: line 1: ls: command not found" >&2; exit 127`
    expect(await judged(commandSucceeds('ls && sh run.sh'), { 'run.sh': script })).toMatchObject({ status: 'fail' })
    const calls = { 'run.sh': `${missing} test` }
    expect(await judged(commandSucceeds('sh run.sh'), calls)).toMatchObject({
      status: 'fail',
      problem: `run.sh: 1: ${missing}: not found`,
    })
  })
})

describe('what the machine lacks behind a script', () => {
  const manifest = (script: string): Files => ({ 'package.json': JSON.stringify({ scripts: { test: script } }) })
  const judge = testsPass.npm()
  test('is an error when the original fails in the same way', async () => {
    const work = manifest(`${missing} lint && node --test`)
    for (const originals of [{ before: work }, { reference: work }, { before: work, reference: work }])
      expect(await judged(judge, work, originals)).toMatchObject({
        status: 'error',
        code: 'not-started',
        reasoning: expect.stringContaining(`${missing}: not found`),
      })
  })
  test('is a fail when the agent brought it in, and is named', async () => {
    const before = manifest(`node -e "console.log('1..1\\nok 1 - a')"`)
    const work = manifest(`${missing} lint && node --test`)
    for (const originals of [{ before }, { before: work, reference: before }, {}])
      expect(await judged(judge, work, originals)).toMatchObject({
        status: 'fail',
        problem: expect.stringContaining(`${missing}: not found`),
      })
  })
  const offline = (said: string): Files => ({ gradlew: { executable: `#!/bin/sh\necho '${said}' >&2\nexit 1\n` } })
  test.each([
    ['network', 'Exception in thread "main" java.net.UnknownHostException: services.gradle.org'],
    ['network', 'fatal: unable to access: Could not resolve host: example.com'],
    ['version', '[ERROR] Rule 0: org.apache.maven.enforcer.rules.version.RequireMavenVersion failed with message:'],
  ])('of the %s is an error only when the original lacks it too', async (_, said) => {
    const assembled = buildSucceeds.gradle('assemble', { trustWrapper: true })
    const work = offline(said)
    expect(await judged(assembled, work, { before: work })).toMatchObject({
      status: 'error',
      code: 'environment-unfit',
    })
    const healthy: Files = { gradlew: { executable: '#!/bin/sh\nexit 0\n' } }
    expect(await judged(assembled, work, { before: healthy })).toMatchObject({ status: 'fail', problem: said })
    expect(await judged(assembled, work)).toMatchObject({ status: 'fail', problem: said })
  })
  test('is not asked for when tests ran', async () => {
    const run = { 'run.sh': `echo 'not ok 1 - fetches\n1..1'; echo 'getaddrinfo ENOTFOUND api' >&2; exit 1` }
    expect(await judged(testsPass.command('sh run.sh'), run, { before: run })).toMatchObject({
      status: 'fail',
      reasoning: 'exit code 1, expected 0; 1 of 1 tests failed',
      problem: 'getaddrinfo ENOTFOUND api',
    })
  })
})
