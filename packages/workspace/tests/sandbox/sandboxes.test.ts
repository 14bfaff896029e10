import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bubblewrapSandbox, dockerSandbox, localSandbox, localWorkspace } from '@jurist/workspace'
import { sandboxContract, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { secretsOfHost } from '../../src/environment.js'

const code = (wanted: string) => expect.objectContaining({ code: wanted })
const works = (probe: Promise<void>) =>
  probe.then(
    () => true,
    () => false,
  )
const hasBubblewrap = await works(bubblewrapSandbox().probe())
/** An image with a shell, and the program that has it; set where containers are tried. */
const { JURIST_TEST_IMAGE: image, JURIST_TEST_CONTAINERS: cli = 'podman' } = process.env

sandboxContract({ describe, test }, 'localSandbox', { make: localSandbox })
sandboxContract({ describe, test: test.skipIf(!hasBubblewrap) }, 'bubblewrapSandbox (needs bubblewrap)', {
  make: () => bubblewrapSandbox(),
})
sandboxContract({ describe, test: test.skipIf(image === undefined) }, 'dockerSandbox (needs JURIST_TEST_IMAGE)', {
  make: () => dockerSandbox({ image: image ?? '', cli }),
})

describe('bubblewrap', () => {
  test('that is missing says so, as a probe and as a command', async () => {
    await using files = await temporaryWorkspace()
    const sandbox = bubblewrapSandbox({ bwrap: '/nowhere/bwrap' })
    await expect(sandbox.probe()).rejects.toEqual(code('sandbox-unavailable'))
    const { status, failure } = await localWorkspace(files.root, { sandbox }).run('true')
    expect([status, failure?.code]).toEqual(['not-started', 'sandbox-unavailable'])
  })
  test('that cannot work says why, and is tried again', async () => {
    await using files = await temporaryWorkspace({
      bwrap: { executable: '#!/bin/sh\necho no namespaces >&2; exit 1\n' },
    })
    const sandbox = bubblewrapSandbox({ bwrap: join(files.root, 'bwrap') })
    await expect(sandbox.probe()).rejects.toThrow(/no namespaces/)
    writeFileSync(join(files.root, 'bwrap'), '#!/bin/sh\nexit 0\n')
    await sandbox.probe()
  })
  test.skipIf(!hasBubblewrap)(
    'shows what is readable, and lets write what is writable (needs bubblewrap)',
    async () => {
      await using files = await temporaryWorkspace()
      await using other = await temporaryWorkspace({ file: 'x', tool: { executable: '#!/bin/sh\necho tool\n' } })
      const file = join(other.root, 'file')
      const hidden = localWorkspace(files.root, { sandbox: bubblewrapSandbox() })
      expect((await hidden.run(['cat', file])).exitCode).toBe(1)
      expect((await hidden.run([join(other.root, 'tool')])).status).toBe('not-started')
      const reading = localWorkspace(files.root, { sandbox: bubblewrapSandbox({ readable: [other.root] }) })
      expect((await reading.run(['cat', file])).stdout).toBe('x')
      expect((await reading.run([join(other.root, 'tool')])).stdout).toBe('tool\n')
      expect((await reading.run(`echo y > ${file}`)).exitCode).not.toBe(0)
      const writing = localWorkspace(files.root, { sandbox: bubblewrapSandbox({ writable: [other.root] }) })
      await writing.run(`printf y > ${file}`)
      expect(await other.read('file')).toBe('y')
    },
  )
  test.skipIf(!hasBubblewrap)(
    'shows the workspace and other directories at places of their own (needs bubblewrap)',
    async () => {
      await using files = await temporaryWorkspace({ 'own.txt': 'own', 'bin/tool': { executable: '#!/bin/sh\npwd\n' } })
      await using other = await temporaryWorkspace({ 'other.txt': 'other' })
      const mounts = [
        { from: other.root, to: '/data/in' },
        { from: other.root, to: '/data/out', writable: true },
      ]
      const sandbox = bubblewrapSandbox({ workspaceAt: '/app', mounts: [{ from: other.root, to: '/first' }] })
      const workspace = localWorkspace(files.root, { sandbox: sandbox.with?.({ mounts }) ?? sandbox })
      const { stdout } = await workspace.run(
        'pwd; cat own.txt /first/other.txt /data/in/other.txt; ls -d /workspace',
        {},
      )
      expect(stdout).toBe('/app\nownotherother')
      expect((await workspace.run(['/app/bin/tool'], { cwd: 'bin' })).stdout).toBe('/app/bin\n')
      expect((await workspace.run('echo x > /data/in/other.txt')).exitCode).not.toBe(0)
      await workspace.run('printf new > /data/out/other.txt')
      expect(await other.read('other.txt')).toBe('new')
    },
  )
  test.each(['app', '/', '/etc', '/usr/app', '/a/../etc', '/a b', '/a:b'])('refuses the place %j', (place) => {
    expect(() => bubblewrapSandbox({ workspaceAt: place })).toThrow(code('option-invalid'))
    expect(() => dockerSandbox({ image: 'img', mounts: [{ from: '/tmp', to: place }] })).toThrow(code('option-invalid'))
  })
  test.skipIf(!hasBubblewrap)('without a network still knows localhost (needs bubblewrap)', async () => {
    await using files = await temporaryWorkspace()
    const { stdout } = await localWorkspace(files.root, { sandbox: bubblewrapSandbox() }).run('getent ahosts localhost')
    expect(stdout).toMatch(/^(?:127\.0\.0\.1|::1)\s/)
  })
  test.skipIf(!hasBubblewrap)(
    'has programs of the workspace, and processes of nobody else (needs bubblewrap)',
    async () => {
      await using files = await temporaryWorkspace({ 'bin/own': { executable: '#!/bin/sh\necho "$1"\n' } })
      const workspace = localWorkspace(files.root, { sandbox: 'bubblewrap' })
      expect((await workspace.run(['./own', 'a b'], { cwd: 'bin' })).stdout).toBe('a b\n')
      expect((await workspace.run(['/workspace/bin/own', 'c'])).stdout).toBe('c\n')
      const { stdout } = await workspace.run('ls /proc | grep -c "^[0-9]"')
      expect(Number(stdout)).toBeLessThan(8)
      expect(workspace.sandbox).toEqual({ name: 'bubblewrap', isolation: 'namespace' })
    },
  )
})

describe('an allow-list', () => {
  test.each([
    ['https://host.test/path', 'Write "host.test"'],
    ['host.test/', 'Write "host.test"'],
    [' ', 'has a path, a user or a space'],
    ['*', 'is not a host name'],
    ['**.x.test', 'is not a host name'],
    ['a.*.b.test', 'is not a host name'],
    ['host.test:0', 'from 1 to 65535'],
    ['host.test:70000', 'from 1 to 65535'],
    [`${'a'.repeat(300)}.test`, 'is not a host name'],
    ['ｅxample.test', 'maps to another name. Write "example.test"'],
    ['10.0.0.5', 'without a port'],
    ['10.0.0.0/8', 'has a path'],
    ['0x7f.1', 'is not a host name'],
    ['2130706433', 'is not a host name'],
    ['localhost', 'needs its port'],
    ['*.com', 'anyone can register'],
    ['*.github.io', 'anyone can register'],
    ['*.co.uk', 'anyone can register'],
    ['me@host.test', 'Write "host.test"'],
    [{ host: 'host.test', port: 22 }, 'raw: true'],
  ])('refuses %j', (entry, message) => {
    const network = { allow: ['fine.test', entry as string, 'http://'] }
    expect(() => bubblewrapSandbox({ network })).toThrow(code('option-invalid'))
    // One error names every entry that is wrong.
    expect(() => bubblewrapSandbox({ network })).toThrow(message)
    expect(() => bubblewrapSandbox({ network })).toThrow('"http://"')
    expect(() => dockerSandbox({ image: 'img', network })).toThrow(message)
  })
  test('is sorted, in one notation', () => {
    const allow = [
      ...[
        'Model.TEST.',
        'model.test',
        'bücher.test',
        '*.wheels.test:8443',
        'http://plain.test',
        'localhost:1',
        '[FD00::5]:443',
      ],
      { host: 'git.test', port: 22, raw: true as const },
    ]
    const { network } = bubblewrapSandbox({ network: { allow } })
    const wanted = [
      '*.wheels.test:8443',
      '[fd00::5]:443',
      'http://plain.test',
      'localhost:1',
      'model.test',
      'raw git.test:22',
      'xn--bcher-kva.test',
    ]
    expect(network?.hosts).toEqual(wanted)
    expect(bubblewrapSandbox({ network: { allow: ['*.github.io'], wide: true } }).network?.hosts).toEqual([
      '*.github.io',
    ])
  })
  test.each(['/', '/run', '/tmp', '/var/run/docker.sock'])('does not work where %s is shared', async (path) => {
    const sandbox = bubblewrapSandbox({ network: { allow: [] }, readable: [path] })
    await expect(sandbox.probe()).rejects.toThrow(/sockets of the machine|not installed/)
  })
})

describe('what a command must not know', () => {
  const [key, password] = ['sk-planted-0123456789', 'hunter2-planted']
  const planted = {
    PLANTED_API_KEY: key,
    http_proxy: `http://user:${password}@proxy.test:8080/`,
    PLANTED_PLAIN: 'plain-value',
    PLANTED_PIN_TOKEN: 'x7',
  }
  /** A process of another one has them from its start, as a command line has them from the shell. */
  const parent = `
    import { localWorkspace } from '@jurist/workspace'
    const workspace = localWorkspace(process.argv[1])
    const one = await workspace.run('cat /proc/$PPID/environ; cat /proc/$PPID/environ >&2')
    const cut = await workspace.run('cat /proc/$PPID/environ', { maxOutputBytes: 400 })
    const given = await workspace.run('echo $PLANTED_API_KEY', { env: { PLANTED_API_KEY: process.env.PLANTED_API_KEY } })
    console.log(JSON.stringify([one, cut, given]))`

  test.skipIf(process.platform !== 'linux')('is blank in its output, unless it was given', async () => {
    await using files = await temporaryWorkspace()
    const words = ['--conditions=source', '--input-type=module', '-e', parent, files.root]
    const program = new URL('../../../..', import.meta.url)
    const env = { ...process.env, ...planted, FILLER: 'x'.repeat(300) }
    const [one, cut, given] = JSON.parse(execFileSync(process.execPath, words, { cwd: program, env, encoding: 'utf8' }))
    for (const text of [one.stdout, one.stderr]) {
      expect(text).toContain('PLANTED_PLAIN=plain-value')
      expect(text).toContain('PLANTED_API_KEY=***')
      expect(text).not.toContain('=x7')
      expect(text).toContain('http://user:***@proxy.test')
    }
    expect(JSON.stringify([one, cut])).not.toMatch(/planted-0|hunter2/)
    expect(given.stdout).toBe(`${key}\n`)
  })

  test('leaves ordinary words alone where they are words by themselves', () => {
    const host = {
      DB_PASSWORD: 'postgres',
      TEST_API_KEY: 'test-key',
      PIN_TOKEN: '12345678',
      DATABASE_URL: 'postgres://postgres:postgres@localhost/app',
      SHORT_KEY: 'x7',
      PASSPHRASE: 'correct horse battery staple',
      GIVEN_KEY: 'production',
      HEX_TOKEN: 'deadbeefdeadbeefdeadbeef',
    }
    expect(secretsOfHost(host, { MODE: 'production', PATH: '/opt/x7-postgres/bin' })).toEqual([
      'correct horse battery staple',
      'deadbeefdeadbeefdeadbeef',
      'TEST_API_KEY=test-key',
      'DB_PASSWORD=postgres',
      'PIN_TOKEN=12345678',
      'SHORT_KEY=x7',
      ':postgres@',
    ])
  })

  test.skipIf(!hasBubblewrap)('is in no list of processes (needs bubblewrap)', async () => {
    await using files = await temporaryWorkspace()
    const workspace = localWorkspace(files.root, { sandbox: 'bubblewrap' })
    const script = 'echo "$GIVEN_TOKEN" > started; read line; echo "$GIVEN_TOKEN $GIVEN_LINES"'
    const env = { GIVEN_TOKEN: 'not-for-the-list', GIVEN_LINES: 'a\nb "c" $d' }
    const stop = new AbortController()
    const running = workspace.run(['sh', '-c', `${script}; while :; do sleep 1; done`], {
      env,
      signal: stop.signal,
      stdin: { text: 'go\n' },
    })
    while (!(await workspace.exists('started'))) await new Promise((resolve) => setImmediate(resolve))
    const lines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((id) => {
        try {
          return readFileSync(`/proc/${id}/cmdline`, 'utf8')
        } catch {
          return ''
        }
      })
    stop.abort()
    await running
    expect(lines.some((line) => line.includes('GIVEN_TOKEN" > started'))).toBe(true)
    expect(lines.filter((line) => line.includes('not-for-the-list'))).toEqual([])
    const { stdout } = await workspace.run(['sh', '-c', 'printf %s "$GIVEN_LINES"'], { env })
    expect(stdout).toBe(env.GIVEN_LINES)
  })
})

/** A program in the place of docker that writes down its words and runs the command on the machine itself. */
const recorder = `#!/bin/sh
here=$(dirname "$0")
for word in "$@"; do printf '%s\\n' "$word"; done >> "$here/words"
echo -- >> "$here/words"
case "$1" in
  create) [ -e "$here/broken" ] && { echo 'the daemon is down' >&2; exit 125; }; echo c0ffee ;;
  start) echo "$TOKEN"; exit 125 ;;
  inspect) echo 7 ;;
  rm) : ;;
esac
`

describe('docker', () => {
  test('is driven by its words; values of variables are not among them', async () => {
    await using files = await temporaryWorkspace()
    await using tools = await temporaryWorkspace({ cli: { executable: recorder } })
    const sandbox = dockerSandbox({ image: 'img', cli: join(tools.root, 'cli'), cpus: 2, readable: ['/opt/x'] })
    const workspace = localWorkspace(files.root, { sandbox, limits: { memoryBytes: 1_000, processes: 9 } })
    const { status, exitCode, stdout } = await workspace.run(['echo', 'a b'], { env: { TOKEN: 'secret-value' } })
    // The code is that of "inspect", not the one that the program ended with.
    expect([status, exitCode, stdout]).toEqual(['exited', 7, 'secret-value\n'])
    const words = readFileSync(join(tools.root, 'words'), 'utf8')
    expect(words).not.toContain('secret-value')
    const lines = words.split('\n')
    const after = (word: string) => lines[lines.indexOf(word) + 1]
    expect(after('--pids-limit')).toBe('9')
    expect(after('--memory')).toBe('1000')
    expect(after('--cpus')).toBe('2')
    expect(after('--network')).toBe('none')
    expect(after('--pull')).toBe('never')
    expect(lines).toContain('TOKEN')
    for (const proxy of ['http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) expect(lines).toContain(`${proxy}=`)
    expect(lines).toContain(`${files.root}:/workspace`)
    expect(lines).toContain('/opt/x:/opt/x:ro')
    expect(words).toContain('img\necho\na b\n--\nstart\n')
    expect(words.endsWith('rm\n--force\nc0ffee\n--\n')).toBe(true)
  })
  test('that runs elsewhere than its image is reported', async () => {
    await using files = await temporaryWorkspace({ 'sub/a': '' })
    await using tools = await temporaryWorkspace({ cli: { executable: recorder } })
    const mounts = [{ from: '/opt/x', to: '/tests' }]
    const sandbox = dockerSandbox({
      image: 'img',
      cli: join(tools.root, 'cli'),
      asImage: true,
      workspaceAt: '/app',
      cpus: 1,
    })
    const changed = sandbox.with?.({ mounts, network: 'host', cpus: 4 }) ?? sandbox
    await localWorkspace(files.root, { sandbox: changed }).run(['true'], { cwd: 'sub' })
    const lines = readFileSync(join(tools.root, 'words'), 'utf8').split('\n')
    const after = (word: string) => lines[lines.indexOf(word) + 1]
    expect([after('--workdir'), after('--network'), after('--cpus')]).toEqual(['/app/sub', 'bridge', '1'])
    expect(lines).toContain(`${files.root}:/app`)
    expect(lines).toContain('/opt/x:/tests:ro')
    for (const word of ['--user', '--read-only', '--cap-drop', 'HOME=/tmp']) expect(lines).not.toContain(word)
  })
  test('that cannot make a container has not started', async () => {
    await using files = await temporaryWorkspace()
    await using tools = await temporaryWorkspace({ cli: { executable: recorder }, broken: '' })
    const sandbox = dockerSandbox({ image: 'img', cli: join(tools.root, 'cli') })
    const { status, failure } = await localWorkspace(files.root, { sandbox }).run('true')
    expect([status, failure?.code]).toEqual(['not-started', 'sandbox-unavailable'])
    expect(failure?.message).toContain('the daemon is down')
    await expect(sandbox.probe()).rejects.toEqual(code('sandbox-unavailable'))
  })
  test('that cannot start its container has not started, and says why', async () => {
    await using files = await temporaryWorkspace()
    // What podman answers when the runtime refuses: the code 0, and no time of a start.
    const inspect = recorder
      .replace('echo 7', 'echo "0 0001-01-01 00:00:00 +0000 UTC"')
      .replace('echo "$TOKEN"; exit 125', 'echo "no such program" >&2; exit 1')
    await using tools = await temporaryWorkspace({ cli: { executable: inspect } })
    const sandbox = dockerSandbox({ image: 'img', cli: join(tools.root, 'cli') })
    const { status, exitCode, failure } = await localWorkspace(files.root, { sandbox }).run('true')
    expect([status, exitCode, failure?.code]).toEqual(['not-started', null, 'not-started'])
    expect(failure?.message).toBe('The container could not be started: no such program')
    await expect(sandbox.probe()).rejects.toEqual(code('sandbox-unavailable'))
  })
  test('whose program ends with 125 has started', async () => {
    await using files = await temporaryWorkspace()
    const inspect = recorder.replace('echo 7', 'echo "125 2026-01-01 00:00:00 +0000 UTC"')
    await using tools = await temporaryWorkspace({ cli: { executable: inspect } })
    const sandbox = dockerSandbox({ image: 'img', cli: join(tools.root, 'cli') })
    const { status, exitCode } = await localWorkspace(files.root, { sandbox }).run('exit 125')
    expect([status, exitCode]).toEqual(['exited', 125])
  })
  test('that is missing is unavailable; an image must be named', async () => {
    await expect(dockerSandbox({ image: 'img', cli: '/nowhere/docker' }).probe()).rejects.toEqual(
      code('sandbox-unavailable'),
    )
    expect(() => dockerSandbox({} as unknown as { image: string })).toThrow(code('option-invalid'))
  })
})
