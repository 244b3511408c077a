// A report page: the data stands in the page itself, so that it works from a file, without a server or a network.
import { drawPlot } from "./plots";
import { render } from "./render";
import type { Report } from "./schema";
import "./report.css";

const data = document.querySelector("#data") as HTMLElement;
render(JSON.parse(data.textContent as string) as Report, document.querySelector("main") as HTMLElement, drawPlot);
