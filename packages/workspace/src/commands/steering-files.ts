/** The tools whose runs can be steered by files that somebody leaves beside the code. */
export type SteeredTool =
  | 'maven'
  | 'gradle'
  | 'npm'
  | 'pnpm'
  | 'yarn'
  | 'cargo'
  | 'go'
  | 'pytest'
  /** A command that may run any of them. */
  | 'command'

/** What is put in the place of a library of tests, and what such a library loads by itself. */
const javaTests: readonly string[] = [
  '**/org/{junit,testng,opentest4j,apiguardian,hamcrest,assertj,mockito}/**',
  '**/META-INF/services/org.{junit,testng}.**',
  '**/junit-platform.properties',
]
const maven: readonly string[] = [
  '**/.mvn/{jvm.config,maven.config,extensions.xml,settings.xml}',
  // Classes that are newer than the sources laid over them would not be compiled again.
  '**/target/{classes,test-classes,maven-status}/**',
  ...javaTests,
]
const gradle: readonly string[] = [
  '{build,settings,init}.gradle{,.kts}',
  '{gradle.properties,buildSrc/**,init.d/**,.gradle/**}',
  'gradle/{*.gradle{,.kts},*.properties,*.toml}',
  '**/build/classes/**',
  ...javaTests,
]
const scripts: readonly string[] = [
  '{vitest,vite,jest,babel}.config.*',
  'vitest.{workspace,projects}.*',
  '.{mocharc,babelrc,swcrc,c8rc,nycrc,taprc}{,.*}',
]
const npm: readonly string[] = ['.npmrc', ...scripts]
const pnpm: readonly string[] = ['.npmrc', '.pnpmfile.{cjs,mjs}', 'pnpm-workspace.yaml', ...scripts]
const yarn: readonly string[] = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn/{plugins,releases}/**', ...scripts]
const cargo: readonly string[] = ['.cargo/**', 'rust-toolchain{,.toml}', 'build.rs']
const go: readonly string[] = ['go.work', 'go.work.sum', 'vendor/**']
const pytest: readonly string[] = [
  '**/{conftest,sitecustomize,usercustomize}.py',
  '{,.}pytest.{ini,toml}',
  '{tox.ini,setup.cfg,pyproject.toml}',
  '{pytest,_pytest,pluggy,unittest,doctest}{.py,/**}',
  // Compiled files may say that they need not be compared with their sources.
  '**/__pycache__/**',
  '**/*.{pth,pyc}',
  '**/*.{egg-info,dist-info}/**',
]
const make: readonly string[] = ['{GNUmakefile,makefile,Makefile}']

/**
 * Those that define a build and not only a run. An agent may have changed them for good reasons, and putting in the
 * reference's would do its work for it.
 */
export const buildDefinitions: readonly string[] = [
  '{build,settings}.gradle{,.kts}',
  '{gradle.properties,buildSrc/**}',
  'gradle/{*.gradle{,.kts},*.properties,*.toml}',
  'pnpm-workspace.yaml',
  '{.cargo/**,rust-toolchain{,.toml},build.rs,go.work,go.work.sum,vendor/**}',
  '{tox.ini,setup.cfg,pyproject.toml}',
  ...make,
]

/** Globs of the files that steer a run of tests, from the directory it runs in. */
export const steeringFiles: { readonly [tool in SteeredTool]: readonly string[] } = {
  maven,
  gradle,
  npm,
  pnpm,
  yarn,
  cargo,
  go,
  pytest,
  command: [...new Set([...maven, ...gradle, ...pnpm, ...yarn, ...cargo, ...go, ...pytest, ...make])],
}
