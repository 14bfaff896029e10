import { infoOf, JuristError, runJudge } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { commandSucceeds } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test, vi } from 'vitest'
import { withEnoughTime } from '../enough-time.js'

const optionInvalid = expect.objectContaining({ code: 'option-invalid' })

async function judged(...given: Parameters<typeof commandSucceeds>) {
  await using workspace = await temporaryWorkspace({ 'a file': 'hello', 'sub/b': '' })
  return await runJudge(commandSucceeds(...given), aContext({ workspace }))
}

describe('commandSucceeds', () => {
  test('passes for the expected exit code, with the evidence', async () => {
    const judgment = await judged(['cat', 'a file'])
    expect(judgment).toMatchObject({
      status: 'pass',
      checks: [{ name: 'command_execution', passed: true }],
      metadata: {
        command: "cat 'a file'",
        status: 'exited',
        exitCode: 0,
        expectedExitCode: 0,
        output: 'hello',
        truncated: false,
      },
    })
    expect(judgment.metadata['elapsedMs']).toBeGreaterThanOrEqual(0)
    expect(infoOf(commandSucceeds('true'))).toMatchObject({ name: 'commandSucceeds', kind: 'deterministic' })
  })
  test('fails for another code, and says both', async () => {
    const judgment = await judged('echo out; echo err >&2; exit 3', { exitCode: [0, 2] })
    expect(judgment).toMatchObject({
      status: 'fail',
      reasoning: 'exit code 3, expected 0 or 2: err',
      checks: [{ message: 'exit code 3, expected 0 or 2' }],
      metadata: { exitCode: 3, expectedExitCode: [0, 2], output: 'out\nerr\n' },
    })
    expect((await judged('exit 2', { exitCode: [0, 2] })).status).toBe('pass')
  })
  test('says the error that stderr names, else the first thing it says, without what a terminal would obey', async () => {
    const said = async (text: string) => (await judged(['sh', '-c', 'printf "$1" >&2; exit 1', 'sh', text])).reasoning
    expect(await said('\\n \\n\\033[31mno such\\007 file\\033[0m\\nat 3\\n')).toBe(
      'exit code 1, expected 0: no such file',
    )
    expect(await said(`${'x'.repeat(500)}\\n`)).toBe(`exit code 1, expected 0: ${'x'.repeat(199)}…`)
    expect(await said('\\n')).toBe('exit code 1, expected 0')
    expect(await said('main.js:1\\n  x()\\n  ^\\n\\nTypeError: x is no function\\n    at y\\n')).toBe(
      'exit code 1, expected 0: TypeError: x is no function',
    )
    expect(await said('note: a\\nerror[E0425]: b\\nfatal: c\\n')).toBe('exit code 1, expected 0: error[E0425]: b')
    expect(await said('an Error in the middle\\nTerror: x\\n')).toBe('exit code 1, expected 0: an Error in the middle')
    expect((await judged('echo odd >&2', { matches: 'even' })).reasoning).toBe('the output does not match /even/')
  })
  test('fails for a signal and for a timeout, and keeps the metadata', async () => {
    expect(await judged('kill -SEGV $$')).toMatchObject({ status: 'fail', reasoning: 'killed by SIGSEGV' })
    const [late, timeoutMs] = await withEnoughTime(
      500,
      (limit) => judged('echo started; sleep 600', { timeoutMs: limit }),
      ({ metadata }) => Boolean(metadata['output']),
    )
    expect(late).toMatchObject({
      status: 'fail',
      reasoning: `timed out after ${timeoutMs} ms`,
      checks: [{ name: 'command_execution', passed: false, message: `timed out after ${timeoutMs} ms` }],
      metadata: { status: 'timed-out', exitCode: null, output: 'started\n' },
    })
  })
  test('is an error when the program cannot be started', async () => {
    expect(await judged(['no-such-program-here'])).toMatchObject({
      status: 'error',
      failure: { code: 'not-started' },
      metadata: { status: 'not-started', command: 'no-such-program-here' },
    })
  })
  test('tells a sandbox that is not there from a program that is not there', async () => {
    const failure = { name: 'JuristError', message: 'no namespaces here', code: 'sandbox-unavailable' }
    const workspace = memoryWorkspace({}, { run: () => ({ status: 'not-started', failure }) })
    const judgment = await runJudge(commandSucceeds('true'), { workspace })
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'sandbox-unavailable' } })
  })
  test('searches the output of both streams', async () => {
    expect((await judged('echo one; echo two >&2', { matches: 'one\\n\\ntwo', notMatches: /three/ })).status).toBe(
      'pass',
    )
    const judgment = await judged('echo one', { matches: /two/, notMatches: 'one' })
    expect(judgment.status).toBe('fail')
    expect(judgment.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['command_execution', true],
      ['output_matches', false],
      ['output_not_matches', false],
    ])
  })
  test('is an error when a pattern runs out of its budget', async () => {
    const judgment = await judged(['printf', '%s', `${'a'.repeat(40)}!`], { matches: /^(a+)+$/ })
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'regex-timeout' } })
  })
  test('takes a directory, variables and a cap for the output', async () => {
    expect((await judged('ls; echo $GREETING', { cwd: 'sub', env: { GREETING: 'hi' } })).metadata['output']).toBe(
      'b\nhi\n',
    )
    const { metadata } = await judged('yes | head -c 100000', { maxOutputBytes: 1_000 })
    expect(metadata['truncated']).toBe(true)
    const { metadata: long } = await judged('yes é | head -c 99999')
    expect(Buffer.byteLength(String(long['output']))).toBeLessThanOrEqual(8_192 + 40)
    expect(long['output']).toMatch(/^[é\n]+\n… 91807 bytes omitted …\n[é\n]+$/)
  })
  test('keeps the beginning and the end of a long output', async () => {
    const { metadata } = await judged('echo first; seq 1 9999; echo last')
    expect(metadata['output']).toMatch(/^first\n1\n2\n[\s\S]*\n… \d+ bytes omitted …\n[\s\S]*\nlast\n$/)
  })
  test('names files by their path in the workspace, not by that of a copy that is gone', async () => {
    const judgment = await judged('echo "TypeError: no, at file://$PWD/src/a.js:7:3 and $PWD/b.js, $PWD" >&2; exit 1')
    expect(judgment.reasoning).toMatch(/: TypeError: no, at src\/a\.js:7:3 and b\.js, \/\S+$/)
    expect(judgment.metadata['output']).toMatch(/^TypeError: no, at src\/a\.js:7:3 and b\.js, \//)
    // What the patterns search is what was printed.
    expect((await judged('echo "$PWD/a.js"', { matches: /^\/.*\/a\.js$/m })).status).toBe('pass')
  })
  test.each([
    ['not ok 1 - sums\n  ---\n  error: "1 !== 2"\n  ...', 'sums: 1 !== 2'],
    [
      'ok 1 - a\nnot ok 2 - b # TODO\nnot ok 3 - c\n  ---\n  error: |-\n    one\n    two\n  code: x\n  ...',
      'c: one two',
    ],
    ['# Subtest: file\n    not ok 1 - inner\n      ---\n      error: deep\n      ...\nnot ok 1 - file', 'inner: deep'],
    ['not ok 1\nnot ok 2 - later\n  ---\n  error: later\n  ...', 'a test failed'],
  ])('of TAP the reason is the first failed test with its error: %j', async (output, reason) => {
    const printed = await judged(
      `printf '%s\\n' ${output
        .split('\n')
        .map((line) => `'${line}'`)
        .join(' ')}; exit 1`,
    )
    expect(printed.reasoning).toBe(`exit code 1, expected 0: ${reason}`)
  })
  test('says which signal ended the command, and keeps no secret of the host', async () => {
    expect((await judged('kill -9 $$')).metadata).toMatchObject({ status: 'killed', exitCode: null, signal: 'SIGKILL' })
    vi.stubEnv('SAMPLE_API_KEY', 'sk-1f9a7c33d2e8')
    try {
      const { metadata } = await judged('echo sk-1f9a7c33d2e8')
      expect(metadata).toMatchObject({ command: 'echo ***', output: '***\n' })
    } finally {
      vi.unstubAllEnvs()
    }
  })
  test('an abort is an error with the reason', async () => {
    await using workspace = await temporaryWorkspace()
    const { signal } = { signal: AbortSignal.timeout(200) }
    const judgment = await runJudge(commandSucceeds('sleep 60'), aContext({ workspace, signal }))
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
    const reason = new Error('enough')
    await expect(commandSucceeds('true')(aContext({ workspace, signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    )
  })
  test('arguments never go through a shell', async () => {
    const words = ['$(echo no)', "it's", '', 'a\nb', '; true']
    const { metadata } = await judged(['printf', '[%s]', ...words])
    expect(metadata['output']).toBe(words.map((word) => `[${word}]`).join(''))
  })
  test('refuses bad commands and options when it is made', () => {
    for (const command of ['', ' ', [], [''], ['a\0'], 7 as unknown as string])
      expect(() => commandSucceeds(command)).toThrow(optionInvalid)
    for (const options of [{ timeoutMs: 0 }, { exitCode: [] }, { exitCode: -1 }, { env: { A: 1 } }, { exit: 0 }])
      expect(() => commandSucceeds('true', options as object)).toThrow(optionInvalid)
    expect(() => commandSucceeds('true', { matches: '(' })).toThrow(JuristError)
  })
})
