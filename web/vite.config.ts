import { defineConfig, type ProxyOptions } from "vite";

// One folder of files with plain names: they are embedded in a binary and never cached.
export default defineConfig({
  base: "./",
  // `npx vite` while one writes: the program at its usual place, which wants to be asked by its own name
  server: { proxy: {
    "/live": { target: "ws://127.0.0.1:8080", ws: true, changeOrigin: true,
      configure: (proxy) => proxy.on("proxyReqWs", (request) => request.removeHeader("origin")) },
    ...Object.fromEntries(["/upload", "/result"].map((path) => [path, { target: "http://127.0.0.1:8080", changeOrigin: true,
      configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")) } satisfies ProxyOptions])),
  } },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    assetsInlineLimit: 0,
  },
});
