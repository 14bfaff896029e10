import { pass, runJudge } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { buildSucceeds, classVersion, commandSucceeds } from '@jurist/workspace/commands'
import { coverageAtLeast, coverageImproved, coveragePreserved } from '@jurist/workspace/coverage'
import { javaFile, matchesReference, mavenPom, textFile, xmlFile } from '@jurist/workspace/files'
import { fakeCommands } from '@jurist/workspace/testing'
import { expect } from 'vitest'
import { row } from './row.js'

/** A workspace whose commands are played: each ends with the given code. */
const commands: string[] = []
const played = (exitCode: number, files: Readonly<Record<string, string>> = {}) =>
  fakeCommands(memoryWorkspace(files), (command) => {
    commands.push(command.join(' '))
    return { exitCode, stdout: 'what it printed' }
  })

row('`BuildSuccessJudge(command)`, `.maven(...)`, `.gradle(...)`', async () => {
  const workspace = played(0)
  for (const judge of [buildSucceeds.command('make'), buildSucceeds.maven('verify'), buildSucceeds.gradle('build')])
    expect((await runJudge(judge, aContext({ workspace }))).status).toBe('pass')
  expect(commands.join('; ')).toMatch(/make.*mvn.*verify.*gradle.*build/)
})
row('`CommandJudge(command, exitCode, timeout, sandboxFactory)`', async () => {
  const judge = commandSucceeds(['tool'], { exitCode: 3, timeoutMs: 60_000 })
  expect((await runJudge(judge, aContext({ workspace: played(3) }))).status).toBe('pass')
  expect((await runJudge(judge, aContext({ workspace: played(0) }))).status).toBe('fail')
})
row('its metadata `command`, `exitCode`, `output`, `duration`', async () => {
  const { metadata } = await runJudge(commandSucceeds(['tool']), aContext({ workspace: played(0) }))
  for (const key of ['command', 'exitCode', 'output', 'elapsedMs']) expect(metadata).toHaveProperty(key)
})
row('`ClassVersionJudge(61)`', async () => {
  const java17 = new Uint8Array([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61])
  const context = aContext({ workspace: memoryWorkspace({ 'target/classes/A.class': java17 }) })
  expect((await runJudge(classVersion(61), context)).status).toBe('pass')
  expect((await runJudge(classVersion(65), context)).status).toBe('fail')
})
row('`CoveragePreservationJudge(t)`, `CoverageImprovementJudge(max, floor)`, `CoverageJudge(80.0)`', async () => {
  const lcov = 'SF:a.js\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,1\nDA:5,0\nLF:5\nLH:4\nend_of_record\n'
  const context = aContext({ workspace: memoryWorkspace({ 'coverage/lcov.info': lcov }) })
  const judges = [
    coveragePreserved({ maxDrop: 5, baseline: 84, after: 'agent' }),
    coverageImproved({ ceiling: 20, floor: 60, baseline: 70, after: 'agent' }),
    coverageAtLeast(80, { after: 'agent' }),
  ]
  for (const judge of judges) expect((await runJudge(judge, context)).status).toBe('pass')
})
row(
  '`FileComparisonJudge`, `JavaSemanticJudge`, `MavenSemanticJudge`, `XmlSemanticJudge`, `TextFileJudge`',
  async () => {
    const files = (tag: string) => ({
      'A.java': `class A { void a() {} ${tag} }`,
      'pom.xml': `<project>${tag}<artifactId>a</artifactId></project>`,
      'x.xml': `<x>${tag}<y/></x>`,
      'a.txt': 'text\n',
    })
    const context = aContext({ workspace: memoryWorkspace(files(' ')), reference: memoryWorkspace(files('\n')) })
    for (const judge of [matchesReference(), javaFile('A.java'), mavenPom(), xmlFile('x.xml'), textFile('a.txt')])
      expect((await runJudge(judge, context)).status).toBe('pass')
    expect(pass('equivalent').status).toBe('pass')
  },
)
