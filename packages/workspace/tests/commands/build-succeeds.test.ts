import { spawnSync } from 'node:child_process'
import { infoOf, type Judge, runJudge } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { buildSucceeds, testsPass } from '@jurist/workspace/commands'
import { fakeCommands, type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

type Files = { readonly [path: string]: TemporaryFile }
const optionInvalid = expect.objectContaining({ code: 'option-invalid' })
const hasTool = (tool: string) => spawnSync(tool, ['--version']).status === 0
const script = { executable: '#!/bin/sh\necho "$@"\n' }
const build = (line: string) => JSON.stringify({ scripts: { build: line } })

/** The words of the command that a judge runs. */
async function wordsOf(judge: ReturnType<typeof buildSucceeds.make>, files: Files = {}, before?: Files) {
  await using workspace = await temporaryWorkspace(files)
  await using original = await temporaryWorkspace(before)
  let words: readonly string[] = []
  const player = fakeCommands(workspace, (command) => {
    words = command
    return {}
  })
  const context = aContext({ workspace: player, ...(before === undefined ? {} : { before: original }) })
  const { metadata } = await runJudge(judge, context)
  return { line: words.join(' '), words, metadata }
}

describe('the commands of build tools', () => {
  test.each([
    [buildSucceeds.maven('verify', '-DskipTests'), 'buildSucceeds.maven', 'mvn -B -ntp verify -DskipTests'],
    [buildSucceeds.gradle('assemble'), 'buildSucceeds.gradle', 'gradle --no-daemon assemble'],
    [buildSucceeds.npm(), 'buildSucceeds.npm', 'npm run build'],
    [buildSucceeds.npm('pack', '--dry'), 'buildSucceeds.npm', 'npm run pack -- --dry'],
    [buildSucceeds.pnpm('pack', '--dry'), 'buildSucceeds.pnpm', 'pnpm run pack --dry'],
    [buildSucceeds.yarn({ timeoutMs: 5 }), 'buildSucceeds.yarn', 'yarn run build'],
    [buildSucceeds.cargo(), 'buildSucceeds.cargo', 'cargo build'],
    [buildSucceeds.cargo('check', '--all'), 'buildSucceeds.cargo', 'cargo check --all'],
    [buildSucceeds.go(), 'buildSucceeds.go', 'go build ./...'],
    [buildSucceeds.make(), 'buildSucceeds.make', 'make'],
    [buildSucceeds.make('all'), 'buildSucceeds.make', 'make all'],
    [buildSucceeds.command('true'), 'buildSucceeds.command', 'bash -c true'],
  ])('%#', async (judge, name, line) => {
    expect(infoOf(judge)).toMatchObject({ name, kind: 'deterministic' })
    expect((await wordsOf(judge)).line).toBe(line)
  })
  test('words stay words', async () => {
    const { words } = await wordsOf(buildSucceeds.make('a b', '$(x)', "it's"))
    expect(words).toEqual(['make', 'a b', '$(x)', "it's"])
  })
  test('bad words and options are refused when the judge is made', () => {
    expect(() => buildSucceeds.maven()).toThrow(optionInvalid)
    expect(() => buildSucceeds.gradle({})).toThrow(optionInvalid)
    expect(() => buildSucceeds.npm(' ')).toThrow(optionInvalid)
    expect(() => buildSucceeds.make({}, 'all')).toThrow(optionInvalid)
    expect(() => buildSucceeds.make('all', { timeout: 3 } as object)).toThrow(optionInvalid)
    expect(() => buildSucceeds.command([])).toThrow(optionInvalid)
    expect(() => buildSucceeds.detect({ trustWrapper: 'always' as 'reference' })).toThrow(optionInvalid)
  })
})

describe('the wrapper', () => {
  const wrapper: Files = { mvnw: script, '.mvn/wrapper/maven-wrapper.properties': 'version=1' }
  const used = async (files: Files, trustWrapper?: boolean | 'reference' | 'unchanged', before?: Files) => {
    const options = trustWrapper === undefined ? {} : { trustWrapper }
    const { line, metadata } = await wordsOf(buildSucceeds.maven('verify', options), files, before)
    expect(metadata).toMatchObject({ tool: 'maven', wrapper: line.startsWith('./mvnw ') })
    return metadata['wrapper']
  }
  test('is used when it can be executed and is a file of the workspace', async () => {
    expect(await used(wrapper)).toBe(true)
    expect(await used({ mvnw: 'not executable' })).toBe(false)
    expect(await used({ 'mvnw/': '' })).toBe(false)
    expect(await used({ mvnw: { link: '/bin/sh' } })).toBe(false)
    expect(await used({})).toBe(false)
  })
  test('is used by default while it is what the agent began with, or where that is unknown', async () => {
    const forged = { ...wrapper, mvnw: { executable: '#!/bin/sh\nexit 0' } }
    expect(await used(wrapper, undefined, wrapper)).toBe(true)
    expect(await used(wrapper, 'unchanged')).toBe(true)
    expect(await used(forged, undefined, wrapper)).toBe(false)
    expect(await used(forged, 'unchanged', {})).toBe(false)
    expect(await used(forged, true, wrapper)).toBe(true)
  })
  test('is used by default when it is that of the reference', async () => {
    await using workspace = await temporaryWorkspace(wrapper)
    await using before = await temporaryWorkspace({ 'pom.xml': '' })
    await using reference = await temporaryWorkspace(wrapper)
    const judgment = await runJudge(buildSucceeds.maven('verify'), aContext({ workspace, before, reference }))
    expect(judgment.metadata).toMatchObject({ wrapper: true })
  })
  test('is not used when it is not trusted', async () => {
    expect(await used(wrapper, false)).toBe(false)
  })
  test('is used by reference only while script and parts are unchanged', async () => {
    const properties = '.mvn/wrapper/maven-wrapper.properties'
    expect(await used(wrapper, 'reference', wrapper)).toBe(true)
    expect(await used(wrapper, 'reference')).toBe(false)
    expect(await used(wrapper, 'reference', {})).toBe(false)
    expect(await used({ ...wrapper, mvnw: { executable: '#!/bin/sh\nexit 0' } }, 'reference', wrapper)).toBe(false)
    expect(await used({ ...wrapper, [properties]: 'version=2' }, 'reference', wrapper)).toBe(false)
    expect(await used({ ...wrapper, '.mvn/wrapper/maven-wrapper.jar': '' }, 'reference', wrapper)).toBe(false)
    expect(await used({ mvnw: script }, 'reference', wrapper)).toBe(false)
  })
  test('that the agent changed is a FAIL, not an ERROR, where the machine has no such tool', async () => {
    const [given, changed] = [{ gradlew: script }, { gradlew: { executable: '#!/bin/sh\nexit 0' } }]
    await using before = await temporaryWorkspace({ ...given, 'tests/a.txt': '' })
    const judged = async (judge: Judge, files: Files) => {
      await using workspace = await temporaryWorkspace(files)
      const machine = fakeCommands(workspace, ([program, , line]) =>
        program === 'sh' && line === 'command -v "$1"' ? { exitCode: 1 } : { status: 'not-started', exitCode: null },
      )
      return await runJudge(judge, aContext({ workspace: machine, before, reference: before }))
    }
    const message = 'gradlew is not what the agent was given, and gradle is not installed'
    for (const files of [changed, {}, { gradlew: 'no longer executable' }] as Files[])
      for (const judge of [buildSucceeds.gradle('assemble'), testsPass.gradle()])
        expect(await judged(judge, files)).toMatchObject({ status: 'fail', reasoning: message })
    for (const judge of [
      buildSucceeds.gradle('assemble', { trustWrapper: false }),
      testsPass.gradle({ trustWrapper: false }),
    ])
      expect(await judged(judge, changed)).toMatchObject({ status: 'error' })
  })
  test('really runs, in the directory that is asked for', async () => {
    await using workspace = await temporaryWorkspace({ 'app/gradlew': script })
    const judgment = await runJudge(buildSucceeds.gradle('assemble', { cwd: 'app' }), aContext({ workspace }))
    expect(judgment).toMatchObject({
      status: 'pass',
      metadata: { command: './gradlew --no-daemon assemble', output: '--no-daemon assemble\n', wrapper: true },
    })
  })
})

describe('detection', () => {
  test.each<[Files, string, string]>([
    [{ 'pom.xml': '', 'build.gradle': '' }, 'pom.xml', 'mvn -B -ntp test-compile'],
    [{ 'pom.xml': '', mvnw: script }, 'pom.xml', './mvnw -B -ntp test-compile'],
    [{ 'build.gradle.kts': '', 'package.json': build('x') }, 'build.gradle.kts', 'gradle --no-daemon assemble'],
    [{ 'package.json': build('x'), 'Cargo.toml': '' }, 'package.json', 'npm run build'],
    [{ 'package.json': build('x'), 'pnpm-lock.yaml': '' }, 'package.json', 'pnpm run build'],
    [{ 'package.json': build('x'), 'yarn.lock': '' }, 'package.json', 'yarn run build'],
    [{ 'package.json': '{}', 'Cargo.toml': '' }, 'Cargo.toml', 'cargo build'],
    [{ 'package.json': 'no json', 'go.mod': '' }, 'go.mod', 'go build ./...'],
    [{ 'package.json': '{"scripts":null}', Makefile: '' }, 'Makefile', 'make'],
    [{ 'pom.xml/': '', Makefile: '' }, 'Makefile', 'make'],
  ])('of %j', async (files, detected, line) => {
    const found = await wordsOf(buildSucceeds.detect(), files)
    expect([found.line, found.metadata['detected']]).toEqual([line, detected])
  })
  test('abstains where there is nothing to build', async () => {
    expect(await runJudge(buildSucceeds.detect(), { workspace: memoryWorkspace({ 'a.txt': '' }) })).toMatchObject({
      status: 'abstain',
    })
  })
})

describe('real builds', () => {
  const judged = async (judge: ReturnType<typeof buildSucceeds.make>, files: Files) => {
    await using workspace = await temporaryWorkspace(files)
    return await runJudge(judge, aContext({ workspace }))
  }
  test('npm', async () => {
    expect((await judged(buildSucceeds.npm(), { 'package.json': build('node -e 0') })).status).toBe('pass')
    const judgment = await judged(buildSucceeds.detect(), { 'package.json': build('node -e "process.exit(4)"') })
    expect(judgment).toMatchObject({ status: 'fail', metadata: { tool: 'npm', detected: 'package.json' } })
  })
  test.skipIf(!hasTool('make'))('make (skipped where it is not installed)', async () => {
    const files = { Makefile: 'all:\n\t@echo built\nbroken:\n\t@exit 7\n' }
    expect(await judged(buildSucceeds.make(), files)).toMatchObject({ status: 'pass', metadata: { output: 'built\n' } })
    expect((await judged(buildSucceeds.make('broken'), files)).status).toBe('fail')
  })
  test('a tool that is missing is an error, a build that hangs fails', async () => {
    await using workspace = await temporaryWorkspace()
    const away = fakeCommands(workspace, () => ({ status: 'not-started', exitCode: null }))
    expect(await runJudge(buildSucceeds.yarn(), aContext({ workspace: away }))).toMatchObject({
      status: 'error',
      failure: { code: 'not-started' },
      metadata: { tool: 'yarn' },
    })
    expect(await judged(buildSucceeds.command('sleep 60', { timeoutMs: 200 }), {})).toMatchObject({
      status: 'fail',
      reasoning: 'timed out after 200 ms',
    })
  })
})
