/** The workflow of the template `ci`: on main it keeps the latest run as the baseline of pull requests. */
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
            npx jurist bundle --extract baseline.jurist.tgz
            baseline="--baseline latest"
          fi
          npx jurist run add-readme $baseline --reporter junit=report.xml --reporter github -o report.html
      - name: Keep the run as the next baseline
        if: github.event_name == 'push'
        run: npx jurist bundle add-readme -o baseline.jurist.tgz
      - uses: actions/upload-artifact@v4
        if: github.event_name == 'push'
        with: { name: jurist-baseline, path: baseline.jurist.tgz }
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: jurist-report, path: "report.*" }
`
