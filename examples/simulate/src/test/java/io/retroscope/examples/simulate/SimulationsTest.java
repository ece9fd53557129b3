// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.Retroscope;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class SimulationsTest {
  private record Ended(int exitCode, String out, String err) {}

  private static Ended run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Retroscope.run(new PrintWriter(out), new PrintWriter(err), Map.of(), args);
    return new Ended(exitCode, out.toString(), err.toString());
  }

  @TempDir private Path folder = Path.of("");

  /** Runs an experiment with few runs, unless these options override it. */
  private Ended simulate(String experiment, Map<String, String> few, String... more) {
    Map<String, String> options = new LinkedHashMap<>(few);
    options.put("--out", folder.resolve("a/b").toString());
    for (int i = 0; i < more.length; i += 2) {
      options.put(more[i], more[i + 1]);
    }
    List<String> args = new ArrayList<>(List.of("simulate", experiment));
    options.forEach((name, value) -> args.addAll(List.of(name, value)));
    return run(args.toArray(String[]::new));
  }

  private Ended alignment(String... more) {
    Map<String, String> few =
        Map.of(
            "--runs", "40",
            "--lengths", "20,40..60:20",
            "--communication", "0.5,1",
            "--skew", "10,50",
            "--latency", "0..10:5");
    return simulate("alignment", few, more);
  }

  private Ended drift(String... more) {
    return simulate("drift", Map.of("--runs", "2", "--seconds", "40"), more);
  }

  private List<String> lines(String file) throws Exception {
    return Files.readAllLines(folder.resolve("a/b").resolve(file));
  }

  @Test
  void alignment_writesTablesWithTheReferencesColumns() throws Exception {
    Ended run = alignment();
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("40 runs per point, 4 in fig2, seed 1").contains("fig2.svg");
    assertThat(lines("fig1.csv").get(0))
        .isEqualTo(
            "comm_prob,length,method,err_driver,err_driver_se,err_pairs_signed,"
                + "err_pairs_signed_se,err_pairs_abs,err_pairs_abs_se,err_extreme,err_extreme_se,"
                + "mae_ticks,mae_ticks_se,bounded,width,sound,err_driver_abs,err_extreme_abs,runs");
    assertThat(lines("fig1.csv")).hasSize(1 + 2 * 3 * 4);
    assertThat(lines("fig1.csv").get(1)).startsWith("0.5,20,one_hlc,0.").endsWith(",40");
    assertThat(lines("fig1.csv").get(2)).startsWith("0.5,20,two_d0,");
    assertThat(lines("fig2.csv").get(0)).startsWith("delay_model,skew,latency,method,err_driver,");
    assertThat(lines("fig2.csv")).hasSize(1 + 2 * 3 * 4);
    // All messages take 5 ticks, half of the skew, and there is no other uncertainty.
    assertThat(lines("fig2.csv"))
        .anyMatch(line -> line.startsWith("fixed,10,5,one_hlc,") && line.contains(",0.500000,"));
  }

  @Test
  void alignment_drawsFiguresThatAreWholeXml() throws Exception {
    assertThat(alignment().exitCode()).isZero();
    for (String file : List.of("fig1.svg", "fig2.svg")) {
      Document svg =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(String.join("\n", lines(file)))));
      assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
      assertThat(svg.getElementsByTagName("path").getLength()).isEqualTo(2 * (5 * 3 + 2));
      String text = svg.getDocumentElement().getTextContent();
      assertThat(text).contains("one-sided", "two-sided", "mean width (ticks)");
      assertThat(String.join("", lines(file))).doesNotContain("NaN", "Infinity", "href");
    }
  }

  @Test
  void alignment_anyNumberOfThreads_writesTheSame() throws Exception {
    assertThat(alignment("--runs", "120", "--threads", "1").exitCode()).isZero();
    List<String> one = lines("fig1.csv");
    assertThat(alignment("--runs", "120", "--threads", "3").exitCode()).isZero();
    assertThat(lines("fig1.csv")).isEqualTo(one);
  }

  @Test
  void alignment_wrongValues_areUsageErrorsThatNameThem() {
    assertThat(alignment("--delay", "9..3"))
        .isEqualTo(usage("minimum delay must lie in 0 to 3: 9"));
    assertThat(alignment("--events", "1.5"))
        .isEqualTo(usage("event probability must lie in 0 to 1: 1.5"));
    assertThat(alignment("--runs", "0")).isEqualTo(usage("--runs must lie in 1 to 10000000: 0"));
    Ended list = alignment("--lengths", "10,x");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err()).contains("\"10,x\" should be whole numbers (like 10,20,50");
    assertThat(alignment("--latency", "0..999999999").err()).contains("at most 1000 numbers");
  }

  private static Ended usage(String message) {
    return new Ended(2, "", "error: " + message + "\n");
  }

  @Test
  void drift_writesATableAFileAndAFigure() throws Exception {
    Ended run =
        drift("--delay-model", "uniform:3..10,lan", "--step-ms", "0,20", "--rho", "100,200");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("error ms")
        .containsPattern("lan0.05\\+Exp0.2 +20 +aged200_LS +0\\.\\d+")
        .contains("wrote drift.csv and drift.svg in");
    List<String> csv = lines("drift.csv");
    assertThat(csv.get(0).split(","))
        .contains(
            "delay_variant",
            "step_ms",
            "method",
            "runs",
            "mae_ms",
            "mae_ms_se",
            "width_ms",
            "sound",
            "detect_frac",
            "detect_median_s",
            "recovery_median_s",
            "err_at_1s");
    assertThat(csv).hasSize(1 + 2 * 2 * 2 * 3);
    assertThat(csv.get(1)).startsWith("U3_10,0,aged100,2,0.");
    assertThat(csv.get(2)).startsWith("U3_10,0,aged100_LS,2,0.");
    assertThat(csv).allMatch(line -> line.split(",", -1).length == csv.get(0).split(",").length);
    assertThat(String.join("", lines("drift.svg")))
        .contains("jumps by 20 ms")
        .doesNotContain("NaN");
  }

  @Test
  void drift_wrongValues_areUsageErrorsThatNameThem() {
    assertThat(drift("--delay-model", "wan").err()).startsWith("error: no delay model: wan (like");
    assertThat(drift("--seconds", "5")).isEqualTo(usage("seconds must lie in 20 to 86400: 5"));
    assertThat(drift("--dmin", "-1")).isEqualTo(usage("--dmin must lie in 0 to 10000 ms: -1"));
    assertThat(drift("--rho", "-1")).isEqualTo(usage("rhoPpm must lie in 0 to 100000: -1.0"));
  }

  @Test
  void simulate_withoutName_listsTheSimulations() {
    Ended run = run("simulate");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  alignment    Measure the error of offsets")
        .contains("  drift        Measure the alignment of clocks");
  }

  @Test
  void simulate_unknownName_suggestsTheNearest() {
    Ended run = run("simulate", "drif");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("unknown argument: drif").contains("did you mean drift?");
  }

  @Test
  void simulate_help_ofEachSimulation_showsItsOptions() {
    assertThat(run("simulate", "--help").out()).contains("alignment", "drift");
    assertThat(run("simulate", "drift", "--help").out()).contains("--delay-model", "--seed");
  }

  /** The page runs it in a folder of its own, and this test writes to another. */
  @Test
  void simulate_examplesOfThePage_printWhatItSays() throws Exception {
    String page = Files.readString(Path.of("../../docs/commands.md"));
    String section = page.substring(page.indexOf("## Simulations"), page.indexOf("## Sound"));
    List<String> lines = section.lines().toList();
    int command = lines.indexOf("```console") + 1;
    String[] words = lines.get(command).split(" ");
    assertThat(words).startsWith("$", "./retroscope", "simulate").endsWith("--out", "figures");
    words[words.length - 1] = folder.resolve("figures").toString();
    Ended run = run(Arrays.copyOfRange(words, 2, words.length));
    assertThat(run.out().replace(folder + "/", "").lines())
        .containsExactly(lines.get(command + 1), lines.get(command + 2));
  }
}
