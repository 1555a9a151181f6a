/// How the page looks, on light and dark screens and on paper.
enum PageStyle {
    static let css = """

        :root {
          color-scheme: light dark;
          --ink: #1f2328; --faint: #59636e; --paper: #ffffff; --card: #f6f7f9; --rule: #d9dee3;
          --best: #0b6b3a; --wrong: #c62828; --warn: #fff4d6;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ink: #e6e8eb; --faint: #9aa4af; --paper: #14171b; --card: #1c2025; --rule: #343a41;
            --best: #5ecb8f; --wrong: #ff8a80; --warn: #3a3010;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; color: var(--ink); background: var(--paper); overflow-wrap: break-word;
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
        }
        main { max-width: 1180px; margin: 0 auto; padding: 40px 24px 80px; }
        h1 { font-size: 34px; line-height: 1.15; margin: 0 0 12px; letter-spacing: -0.02em; }
        h2 { font-size: 22px; margin: 56px 0 4px; letter-spacing: -0.01em; }
        p { max-width: 760px; margin: 8px 0; }
        .over { color: var(--faint); font-size: 13px; letter-spacing: 0.06em; margin: 0 0 6px; }
        .lead { font-size: 20px; line-height: 1.4; }
        .facts, footer { color: var(--faint); font-size: 13px; }
        .wrong { color: var(--wrong); font-weight: 600; }
        .warnings { max-width: 760px; margin: 12px 0; padding: 12px 16px 12px 34px;
          background: var(--warn); border-radius: 10px; }
        .layouts { list-style: none; padding: 0; display: grid; gap: 6px 32px;
          grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); }
        .layouts li { font-size: 14px; }
        .swatch { display: inline-block; width: 11px; height: 11px; border-radius: 3px;
          margin-right: 8px; }
        figure { margin: 0; padding: 16px; background: var(--card); border-radius: 10px; }
        figure.timeline { margin: 20px 0; }
        .slim { display: none; }
        svg { display: block; width: 100%; height: auto; color: var(--ink); }
        .plots { display: grid; gap: 20px; align-items: start;
          grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); }
        .plots svg { max-width: 460px; margin: 0 auto; }
        .scroll { overflow-x: auto; margin-top: 20px; }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums;
          width: 100%; }
        caption { text-align: left; color: var(--faint); padding-bottom: 6px; }
        th, td { padding: 6px 10px; text-align: right; border-bottom: 1px solid var(--rule); }
        th { font-weight: 600; vertical-align: bottom; }
        thead th { color: var(--faint); font-weight: 500; }
        th:first-child { text-align: left; white-space: nowrap; padding-left: 0; }
        tbody th, thead th:first-child { position: sticky; left: 0; background: var(--paper); }
        .best { color: var(--best); font-weight: 600; }
        .reading { font-size: 15px; }
        dl { display: grid; grid-template-columns: 220px 1fr; gap: 6px 24px; max-width: 960px; }
        dt { font-weight: 600; }
        dd { margin: 0; }
        @media (max-width: 700px) {
          main { padding: 24px 16px 48px; }
          h1 { font-size: 28px; }
          .lead { font-size: 18px; }
          figure { padding: 12px; }
          dl { grid-template-columns: 1fr; }
          dd { margin-bottom: 8px; }
          .broad { display: none; }
          .slim { display: block; }
        }
        @media print { main { max-width: none; } section { break-inside: avoid-page; } }

        """
}
