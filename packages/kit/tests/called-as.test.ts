import { expect, test } from 'vitest'
import { calledAs } from '../src/called-as.js'

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
