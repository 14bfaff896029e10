import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { bubblewrapSandbox, localWorkspace, type NetworkAttempt } from '@jurist/workspace'
import { reachHostsBy } from '@jurist/workspace/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicAddress } from './ways-out.js'

const hasBubblewrap = await bubblewrapSandbox({ network: { allow: [] } })
  .probe()
  .then(() => true)
  .catch(() => false)
const hasOpenssl = found('openssl') !== undefined

/** The only host that is allowed: a server of packages and repositories, with a certificate of its own. */
const host = 'packages.test'
const made = mkdtempSync(join(tmpdir(), 'jurist-works-inside-'))
const served = join(made, 'served')
let server: Server

function found(program: string): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(':'), '/usr/local/go/bin']
  const place = places.map((directory) => join(directory, program)).find(existsSync)
  return place
}

const run = (program: string, args: readonly string[], cwd = made) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })

function serve(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(served, path)), { recursive: true })
  writeFileSync(join(served, path), content)
}

/** Zips files with the standard library of Python, which has no fixed layout of its own to follow. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const program =
    'import json,sys,zipfile\nz=zipfile.ZipFile("out.zip","w")\nfor n,t in json.load(open("files.json")).items(): z.writestr(n,t)\nz.close()'
  writeFileSync(join(made, 'files.json'), JSON.stringify(files))
  run('python3', ['-c', program])
  return readFileSync(join(made, 'out.zip'))
}

function tgz(top: string, files: Readonly<Record<string, string>>): Buffer {
  rmSync(join(made, top), { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, top, path)), { recursive: true })
    writeFileSync(join(made, top, path), text)
  }
  return run('tar', ['czf', '-', top])
}

const answer: RequestListener = (request, response) => {
  const path = decodeURIComponent((request.url ?? '').replace(/\?.*/, ''))
  if (path === '/stream') {
    let left = 5
    const next = () => {
      response.write(`part ${left}\n`)
      left -= 1
      if (left === 0) response.end('end\n')
      else setTimeout(next, 300)
    }
    return next()
  }
  const file = join(served, path.endsWith('/') ? `${path}index.html` : path)
  if (!existsSync(file)) return void response.writeHead(404).end()
  if (file.endsWith('.html')) response.setHeader('content-type', 'text/html')
  response.end(readFileSync(file))
}

beforeAll(async () => {
  if (!hasBubblewrap || !hasOpenssl) return
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    'key.pem',
    '-out',
    'ca.pem',
    ...subject,
  ])
  serve('text', 'the answer')
  const [key, cert] = ['key.pem', 'ca.pem'].map((name) => readFileSync(join(made, name)))
  server = createServer({ key, cert }, answer)
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    socket.on('data', (chunk: Buffer) => socket.end(`echo ${chunk}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  reachHostsBy({
    resolve: async (name) => (name === host ? [publicAddress] : Promise.reject(new Error('ENOTFOUND'))),
    connect: () => connect({ host: '127.0.0.1', port, allowHalfOpen: true }),
  })
})
afterAll(() => {
  reachHostsBy()
  server?.close()
  rmSync(made, { recursive: true, force: true })
})

interface Case {
  readonly name: string
  /** The programs that it needs; without them it is skipped. */
  readonly programs: readonly string[]
  /** Directories with the programs, for those outside of `/usr`. */
  readonly readable?: readonly string[]
  /** Makes what the server serves, and returns the files of the workspace. */
  readonly files?: () => Readonly<Record<string, string>>
  readonly command: string
  readonly prints: string
  readonly raw?: true
}

// Where tools are installed, whatever HOME says.
const home = userInfo().homedir
const nodeReadsProxy = Number(process.versions.node.split('.')[0]) >= 24
const nodePlace = dirname(realpathSync(process.execPath))

const cases: readonly Case[] = [
  { name: 'curl', programs: ['curl'], command: `curl -sS https://${host}/text`, prints: 'the answer' },
  {
    name: 'git clone by https',
    programs: ['git'],
    files() {
      const tree = join(made, 'tree')
      mkdirSync(tree)
      writeFileSync(join(tree, 'README'), 'cloned')
      const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.test']
      run('git', ['init', '-q', '-b', 'main'], tree)
      run('git', ['add', '.'], tree)
      run('git', [...identity, 'commit', '-q', '-m', 'x'], tree)
      mkdirSync(served, { recursive: true })
      run('git', ['clone', '-q', '--bare', tree, join(served, 'tree.git')])
      run('git', ['update-server-info'], join(served, 'tree.git'))
      return {}
    },
    command: `git -c http.sslCAInfo=ca.pem clone -q https://${host}/tree.git got && cat got/README`,
    prints: 'cloned',
  },
  {
    name: 'npm ci',
    programs: ['npm'],
    files() {
      const tarball = tgz('package', {
        'package.json': '{"name":"tiny","version":"1.0.0"}',
        'index.js': 'module.exports = "from npm"',
      })
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
      const resolved = `https://${host}/tiny/-/tiny-1.0.0.tgz`
      serve('tiny/-/tiny-1.0.0.tgz', tarball)
      const root = { name: 'app', version: '1.0.0', dependencies: { tiny: '1.0.0' } }
      const packages = { '': root, 'node_modules/tiny': { version: '1.0.0', resolved, integrity } }
      return {
        '.npmrc': `registry=https://${host}/\ncafile=ca.pem\n`,
        'package.json': JSON.stringify(root),
        'package-lock.json': JSON.stringify({
          name: 'app',
          version: '1.0.0',
          lockfileVersion: 3,
          requires: true,
          packages,
        }),
      }
    },
    command: `npm ci --no-audit --no-fund --silent && node -p 'require("tiny")'`,
    prints: 'from npm',
  },
  {
    name: 'pip install',
    programs: ['python3'],
    readable: [join(home, '.pyenv')],
    files() {
      const wheel = zip({
        'tiny.py': 'value = "from pip"\n',
        'tiny-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n',
        'tiny-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        'tiny-1.0.dist-info/RECORD':
          'tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\ntiny-1.0.dist-info/RECORD,,\n',
      })
      serve('simple/tiny/tiny-1.0-py3-none-any.whl', wheel)
      serve('simple/tiny/index.html', '<a href="tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>')
      return {}
    },
    command: `python3 -m pip install -q --disable-pip-version-check --cert ca.pem --index-url https://${host}/simple --target got tiny; PYTHONPATH=got python3 -c 'import tiny; print(tiny.value)'`,
    prints: 'from pip',
  },
  {
    name: 'fetch and https of Node',
    programs: ['node'],
    readable: [nodePlace],
    files: () => ({
      'ask.mjs': `import { get } from 'node:https'
        console.log(await (await fetch('https://${host}/text')).text())
        get('https://${host}/text', (answer) => answer.pipe(process.stdout))`,
    }),
    command: `NODE_EXTRA_CA_CERTS=ca.pem ${process.execPath} ask.mjs`,
    prints: 'the answer\nthe answer',
  },
  {
    name: 'Go',
    programs: ['go'],
    readable: ['/usr/local/go'],
    files() {
      const module = 'example.test/tiny'
      serve(`go/${module}/@v/v1.0.0.info`, '{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}')
      serve(`go/${module}/@v/v1.0.0.mod`, `module ${module}\n`)
      const at = `${module}@v1.0.0`
      serve(
        `go/${module}/@v/v1.0.0.zip`,
        zip({ [`${at}/go.mod`]: `module ${module}\n`, [`${at}/tiny.go`]: 'package tiny\n' }),
      )
      return { 'go.mod': 'module app\n\ngo 1.21\n' }
    },
    command: `SSL_CERT_FILE=ca.pem GOPROXY=https://${host}/go GONOSUMDB='*' GOFLAGS=-modcacherw GOPATH=/tmp/go GOCACHE=/tmp/gocache GOTOOLCHAIN=local go mod download -json example.test/tiny@v1.0.0`,
    prints: '"Version": "v1.0.0"',
  },
  {
    name: 'cargo',
    programs: ['cargo'],
    readable: [join(home, '.cargo'), join(home, '.rustup')],
    files() {
      const crate = tgz('tiny-1.0.0', {
        'Cargo.toml': '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2021"\n',
        'src/lib.rs': '// from cargo\n',
      })
      serve('crates/tiny/1.0.0/download', crate)
      const cksum = createHash('sha256').update(crate).digest('hex')
      serve('index/config.json', JSON.stringify({ dl: `https://${host}/crates` }))
      serve(
        'index/ti/ny/tiny',
        JSON.stringify({ name: 'tiny', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false }),
      )
      return {
        'Cargo.toml':
          '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\ntiny = { version = "1", registry = "test" }\n',
        'src/lib.rs': '',
        '.cargo/config.toml': `[registries.test]\nindex = "sparse+https://${host}/index/"\n`,
      }
    },
    command: `RUSTUP_HOME=${home}/.rustup CARGO_HOME=/tmp/cargo CARGO_HTTP_CAINFO=$PWD/ca.pem cargo vendor -q got >/dev/null && cat got/tiny/src/lib.rs`,
    prints: '// from cargo',
  },
  {
    name: 'HttpClient of Java',
    programs: ['java', 'keytool'],
    files: () => ({
      'Ask.java': `import java.net.URI; import java.net.http.*;
        class Ask { public static void main(String[] a) throws Exception {
          var answer = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("https://${host}/text")).build(), HttpResponse.BodyHandlers.ofString());
          System.out.println(answer.body()); } }`,
    }),
    command: `keytool -importcert -noprompt -storepass changeit -alias ca -file ca.pem -keystore /tmp/trust.p12 2>/dev/null; java -Djavax.net.ssl.trustStore=/tmp/trust.p12 -Djavax.net.ssl.trustStorePassword=changeit Ask.java`,
    prints: 'the answer',
  },
  {
    name: 'Maven',
    programs: ['mvn', 'keytool'],
    readable: ['/etc/maven'],
    files() {
      const own = '<modelVersion>4.0.0</modelVersion>'
      serve(
        'maven/test/parent/1/parent-1.pom',
        `<project>${own}<groupId>test</groupId><artifactId>parent</artifactId><version>1</version><packaging>pom</packaging></project>`,
      )
      return {
        'pom.xml': `<project>${own}<parent><groupId>test</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent><artifactId>app</artifactId><packaging>pom</packaging><repositories><repository><id>test</id><url>https://${host}/maven</url></repository></repositories></project>`,
      }
    },
    command: `keytool -importcert -noprompt -storepass changeit -alias ca -file ca.pem -keystore /tmp/trust.p12 2>/dev/null; MAVEN_OPTS="-Djavax.net.ssl.trustStore=/tmp/trust.p12 -Djavax.net.ssl.trustStorePassword=changeit" mvn -B -Dmaven.repo.local=/tmp/m2 validate && find /tmp/m2 -name 'parent-1.pom' && echo built`,
    prints: 'built',
  },
  {
    name: 'a websocket to a raw entry',
    programs: ['node'],
    raw: true,
    files: () => ({
      'socket.cjs': `const { connect } = require('node:net'), tls = require('node:tls')
        const { port } = new URL(process.env.https_proxy)
        const proxy = connect(port, '127.0.0.1', () => proxy.write('CONNECT ${host}:443 HTTP/1.1\\r\\nHost: ${host}:443\\r\\n\\r\\n'))
        proxy.once('data', () => {
          const socket = tls.connect({ socket: proxy, servername: '${host}', rejectUnauthorized: false })
          socket.write('GET / HTTP/1.1\\r\\nHost: ${host}\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
          socket.once('data', () => socket.write('hello'))
          socket.pipe(process.stdout)
        })`,
    }),
    command: 'node socket.cjs',
    prints: 'echo hello',
  },
  {
    name: 'a server of its own on the loopback',
    programs: ['node', 'curl'],
    command: `node -e 'require("http").createServer((_, r) => r.end("own server")).listen(8080, "127.0.0.1")' & for i in 1 2 3 4 5 6 7 8 9 10; do curl -sS http://localhost:8080/ && break; sleep 0.3; done; kill %1`,
    prints: 'own server',
  },
  {
    name: 'an answer that is streamed',
    programs: ['curl'],
    command: `curl -sSN https://${host}/stream`,
    prints: 'part 5\npart 4\npart 3\npart 2\npart 1\nend',
  },
]

describe.skipIf(!hasBubblewrap || !hasOpenssl)('behind an allow-list works (needs bubblewrap)', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (name, { files, readable = [], raw, ...one }) => {
    const missing = one.programs.filter((program) => found(program) === undefined)
    if (missing.length > 0) return
    const given = files?.() ?? {}
    await using directory = await temporaryWorkspace({ 'ca.pem': readFileSync(join(made, 'ca.pem'), 'utf8'), ...given })
    const attempts: NetworkAttempt[] = []
    const entry = raw === true ? { host, port: 443, raw } : host
    const sandbox = bubblewrapSandbox({
      network: { allow: [entry] },
      readable: readable.filter((path) => existsSync(path) && !path.startsWith('/usr/')),
    })
    const programs = one.programs.map((program) => dirname(found(program) ?? ''))
    const workspace = localWorkspace(directory.root, { sandbox, onNetwork: (attempt) => attempts.push(attempt) })
    const result = await workspace.run(one.command, {
      env: {
        PATH: [...new Set(programs), '/usr/bin', '/bin'].join(':'),
        CURL_CA_BUNDLE: 'ca.pem',
        NODE_EXTRA_CA_CERTS: 'ca.pem',
      },
      timeoutMs: 120_000,
    })
    const evidence = JSON.stringify({ result, attempts })
    // Node before 24 does not read the variables of proxies: it reaches nothing.
    if (name.startsWith('fetch') && !nodeReadsProxy) {
      expect(result.stdout, evidence).toBe('')
      expect(attempts).toEqual([])
      return
    }
    expect(result.stdout, evidence).toContain(one.prints)
    if (!name.includes('loopback')) {
      expect(attempts.map((attempt) => [attempt.host, attempt.outcome])).toContainEqual([host, 'allowed'])
      expect(attempts.filter(({ outcome }) => outcome === 'allowed').every((attempt) => attempt.host === host)).toBe(
        true,
      )
    }
  })
})
