import { expect, test } from 'vitest'
import { calledAs, commandLineIn } from '../src/command-line.js'

test.each([
  ['npx, npm exec and scripts of npm', { npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64' }, 'npx jurist'],
  ['pnpm', { npm_config_user_agent: 'pnpm/10.34.9 npm/? node/v20.20.2 linux x64' }, 'pnpm exec jurist'],
  ['yarn', { npm_config_user_agent: 'yarn/4.1.0 npm/? node/v20.20.2 linux x64' }, 'yarn jurist'],
  ['bun', { npm_config_user_agent: 'bun/1.3.0 npm/? node/v24.3.0 linux x64' }, 'bunx jurist'],
  ['a package manager that nobody knows', { npm_config_user_agent: 'constructor/1.0.0' }, 'jurist'],
  ['no package manager', {}, 'jurist'],
])('a process that %s started proposes commands that it runs', (_, env, words) => {
  expect(calledAs({ argv: ['node', '/usr/bin/jurist'], env })).toBe(words)
})

test('a program of a project that is not on the PATH is proposed as npx starts it', () => {
  const argv = ['node', '/shop/node_modules/.bin/jurist']
  expect(calledAs({ argv, env: { PATH: '/usr/bin' } })).toBe('npx jurist')
  expect(calledAs({ argv, env: { PATH: '/shop/node_modules/.bin:/usr/bin' } })).toBe('jurist')
  expect(calledAs({ argv: ['node', '/shop/node_modules/jurist/dist/command/main.js'], env: {} })).toBe('jurist')
})

test('outside of Node it is the plain name', () => {
  expect(calledAs({ argv: [], env: {} })).toBe('jurist')
})

test.each([
  ['nothing', ['run', 'demo'], 'jurist show latest'],
  ['flags before the command', ['-C', 'shop', '--results', 'r', 'run'], 'jurist -C shop --results r show latest'],
  ['flags after it, in every spelling', ['run', '--cwd=a b', '-cx.yaml'], "jurist -C 'a b' -c x.yaml show latest"],
  ['a flag twice, of which the last counts', ['--config', 'a', 'run', '--config', 'b'], 'jurist -c b show latest'],
  ['a value that looks like a flag', ['-C', '-c', 'run'], 'jurist -C -c show latest'],
  ['what follows --', ['hook', '--', '-C', 'shop'], 'jurist show latest'],
  ['a flag without its value', ['run', '-C'], 'jurist show latest'],
  ['a password', ['--results', 'postgres://me:pw@h/d?x=1'], 'jurist --results postgres://me@h/d show latest'],
  ['what is no address', ['--results', 'postgres://me:pw@:x'], "jurist --results 'postgres://…' show latest"],
])('a command line that repeats where the command works: %s', (_, argv, line) => {
  expect(commandLineIn({ argv: ['node', '/usr/bin/jurist', ...argv], env: {} }, ['show', 'latest'])).toBe(line)
})

test('a command line quotes its words, and keeps a flag that it has itself', () => {
  const argv = ['node', '/shop/node_modules/jurist/bin/jurist.js', '--results', 'r']
  const started = { argv, env: { npm_config_user_agent: 'npm/11' } }
  expect(commandLineIn(started, ['show', 'latest', "it's#1"])).toBe("npx jurist --results r show latest 'it'\\''s#1'")
  expect(commandLineIn(started, ['run', '--results', 'other'])).toBe('npx jurist run --results other')
})

test('flags of another program are not those of the command', () => {
  const argv = ['node', '/shop/node_modules/vitest/vitest.mjs', '-c', 'vitest.config.ts']
  expect(commandLineIn({ argv, env: {} }, ['show', 'latest'])).toBe('jurist show latest')
})
