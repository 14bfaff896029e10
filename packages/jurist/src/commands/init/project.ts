import { createRequire } from 'node:module'
import { jsonFile } from '@jurist/import/internal'

/** Existing versions of these files stay unchanged. */
export const projectFiles = ['package.json', 'tsconfig.json', 'README.md', '.gitignore'] as const

function version(): string {
  return createRequire(import.meta.url)('jurist/package.json').version
}

const compilerOptions = {
  ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', strict: true, noEmit: true },
  skipLibCheck: true,
}

interface ProjectKind {
  readonly isTypeScript: boolean
  /** Whether its tests run in Vitest. */
  readonly isVitest: boolean
  /** Command lines with their descriptions. */
  readonly steps: readonly (readonly [line: string, help: string])[]
}

/** Returns `package.json`, `README.md` and, for TypeScript, `tsconfig.json`. */
export function projectFilesOf({ isTypeScript, isVitest, steps }: ProjectKind): Readonly<Record<string, string>> {
  const own = `^${version()}`
  const manifest = {
    ...{ name: 'evals', private: true, type: 'module' },
    scripts: isVitest ? { test: 'vitest run' } : { eval: 'jurist run' },
    devDependencies: {
      ...(isVitest ? { '@jurist/vitest': own } : {}),
      ...(isTypeScript ? { '@types/node': '>=20' } : {}),
      jurist: own,
      ...(isTypeScript ? { typescript: '>=5.9' } : {}),
      ...(isVitest ? { vitest: '>=3.2' } : {}),
    },
  }
  const types = isVitest ? ['node', '@jurist/vitest'] : ['node']
  const width = Math.max(...steps.map(([line]) => line.length))
  const lines = steps.map(([line, help]) => `${line.padEnd(width)}  # ${help}`)
  return {
    'package.json': jsonFile(manifest),
    'README.md': `# Evaluations\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n\n${isVitest ? installingWithVitest : installing}\n`,
    ...(isTypeScript ? { 'tsconfig.json': jsonFile({ compilerOptions: { ...compilerOptions, types } }) } : {}),
  }
}

const installing = `\`npx\` starts the \`jurist\` that is installed here or in a directory above. To install it here: \`npm install\`. While
no registry has this version, install it from a clone of Jurist instead, by \`npm run pack -- DIRECTORY\` there, with the path
of this directory.`

const installingWithVitest = `While no registry has this version of Jurist, do not run \`npm install\`: install from a clone of Jurist, by
\`npm run pack -- DIRECTORY jurist @jurist/vitest\` there, with the path of this directory.`

/** The workflow of the template `ci`: on main, it keeps the latest run as the baseline of pull requests. */
export const workflow = `name: jurist
on:
  push: { branches: [main] }
  pull_request:
permissions: { contents: read, actions: read }
jobs:
  experiment:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    env:
      GH_TOKEN: \${{ github.token }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      - run: npm install
      - run: npx jurist doctor
      - name: Fetch the baseline of main
        if: github.event_name == 'pull_request'
        run: gh run download --name jurist-baseline || echo 'main has no baseline yet'
      - name: Run, beside the baseline where there is one
        run: |
          if [ -f baseline.jurist.tgz ]; then
            npx jurist store bundle --extract baseline.jurist.tgz
            baseline="--baseline latest"
          fi
          npx jurist run add-readme $baseline --reporter junit=report.xml --reporter github -o report.html
      - name: Keep the run as the next baseline
        if: github.event_name == 'push'
        run: npx jurist store bundle add-readme -o baseline.jurist.tgz
      - uses: actions/upload-artifact@v4
        if: github.event_name == 'push'
        with: { name: jurist-baseline, path: baseline.jurist.tgz }
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: jurist-report, path: "report.*" }
`
