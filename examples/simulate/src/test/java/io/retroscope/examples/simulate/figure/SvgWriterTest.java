// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.examples.simulate.figure.Figure.LegendEntry;
import io.retroscope.examples.simulate.figure.LineStyle.Dash;
import io.retroscope.examples.simulate.figure.Series.Point;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class SvgWriterTest {
  private static final LineStyle DASHED = new LineStyle("#35b779", Dash.DASHED);

  private static String svg(Axis y, Point... points) throws IOException {
    Panel panel =
        new Panel(
            "a < b", Axis.linear("time (s)"), y, List.of(new Series(DASHED, List.of(points))));
    Figure figure =
        new Figure("Title", 2, List.of(panel), List.of(new LegendEntry("x & y", DASHED)));
    StringWriter out = new StringWriter();
    SvgWriter.write(figure, out);
    return out.toString();
  }

  @Test
  void write_line_fillsItsPanelFromZero() throws IOException {
    String svg = svg(Axis.linear("error (ms)"), new Point(0, 0), new Point(10, 5));
    // From the lower left corner of the frame to the right edge, slightly below the top.
    assertThat(svg).contains("<path d=\"M70.0 282.0L376.0 78.2\" fill=\"none\"");
    assertThat(svg).contains("stroke-dasharray=\"7 4\"");
  }

  @Test
  void write_text_isEscaped() throws IOException {
    assertThat(svg(Axis.linear("\"y\""), new Point(0, 0)))
        .contains("a &lt; b", "x &amp; y", "&quot;y&quot;")
        .doesNotContain("a < b");
  }

  @Test
  void write_pointsThatCannotBeShown_breakTheLine() throws IOException {
    assertThat(
            svg(
                Axis.logarithmic("y"),
                new Point(0, 1),
                new Point(1, 10),
                new Point(2, 0),
                new Point(3, 100),
                new Point(4, Double.NaN)))
        .containsPattern("d=\"M[\\d. ]+L[\\d. ]+M[\\d. ]+\"")
        .doesNotContain("NaN", "Infinity");
  }

  @Test
  void write_nothingToShow_isAnEmptyPanel() throws IOException {
    assertThat(svg(Axis.logarithmic("y"))).contains("<rect").doesNotContain("<path", "NaN");
  }

  @Test
  void range_linear_hasRoundTicksWithin() {
    Axis.Range range = Axis.linear("x").range(DoubleStream.of(-20, 60), false);
    assertThat(range.ticks()).containsExactly(-20.0, 0.0, 20.0, 40.0, 60.0);
    assertThat(range.place(20)).isCloseTo(0.5, within(1e-12));
  }

  @Test
  void range_logarithmic_hasDecadesAndNoMoreThanFive() {
    Axis.Range wide = Axis.logarithmic("x").range(DoubleStream.of(1e-9, 50), true);
    assertThat(wide.low()).isCloseTo(5e-4, within(1e-9));
    assertThat(wide.ticks().stream().map(Axis.Range::text))
        .containsExactly("0.001", "0.01", "0.1", "1", "10");
    assertThat(wide.place(1e-9)).isNaN();
    Axis.Range narrow = Axis.logarithmic("x").range(DoubleStream.of(3, 60), true);
    assertThat(narrow.ticks().stream().map(Axis.Range::text))
        .containsExactly("5", "10", "20", "50");
  }

  @Test
  void figure_withoutColumns_isRefused() {
    assertThatThrownBy(() -> new Figure("t", 0, List.of(), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("columns must be 1 or more: 0");
  }
}
