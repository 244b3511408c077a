import { defineConfig, type Plugin, type ProxyOptions } from "vite";

// Script and style become part of the HTML file, which then needs nothing beside it.
function inlineAssets(): Plugin {
  return {
    name: "inline-assets",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("no page to put scripts and styles into");
      let html = String(page.source);
      const take = (tag: RegExp, file: string, wrap: (text: string) => string) => {
        const made = bundle[file];
        const text = made.type === "chunk" ? made.code : String(made.source);
        html = html.replace(tag, () => wrap(text.trim()));
        delete bundle[file];
      };
      for (const { fileName } of Object.values(bundle)) {
        const source = `[^>]*"\\./${fileName.replaceAll(".", "\\.")}"[^>]*>`;
        if (fileName.endsWith(".js")) {
          take(new RegExp(`<script${source}</script>`), fileName, (text) => `<script type="module">${text}</script>`);
        } else if (fileName.endsWith(".css")) {
          take(new RegExp(`<link${source}`), fileName, (text) => `<style>${text}</style>`);
        }
      }
      page.source = html;
    },
  };
}

// While the live page is edited with `npx vite`, requests go on to the program at its usual port, which accepts only its
// own origin.
const proxy: Record<string, ProxyOptions> = {
  "/live": { target: "ws://127.0.0.1:8080", ws: true, changeOrigin: true,
    configure: (server) => server.on("proxyReqWs", (request) => request.removeHeader("origin")) },
  ...Object.fromEntries(["/upload", "/result"].map((path) => [path, { target: "http://127.0.0.1:8080", changeOrigin: true,
    configure: (server) => server.on("proxyReq", (request) => request.removeHeader("origin")) } satisfies ProxyOptions])),
};

const shared = { target: "es2022", modulePreload: { polyfill: false } };

// `vite build`: the live page, a folder of files with plain names, which are embedded in a binary and never cached.
// `vite build --mode report`: the report page, one file.
export default defineConfig(({ mode }) => mode === "report"
  ? {
    base: "./",
    publicDir: false,
    plugins: [inlineAssets()],
    build: { ...shared, assetsInlineLimit: Number.MAX_SAFE_INTEGER, rollupOptions: { input: "report.html" } },
  }
  : { base: "./", server: { proxy }, build: { ...shared, chunkSizeWarningLimit: 1500, assetsInlineLimit: 0 } });
