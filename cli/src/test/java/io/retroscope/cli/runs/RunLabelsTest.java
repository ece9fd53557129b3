// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunLabelsTest {
  @TempDir private Path folder = Path.of("");

  private String label(String cases, String run) throws IOException {
    Path report =
        Files.writeString(folder.resolve("r.xml"), "<testsuite>" + cases + "</testsuite>");
    return RunLabels.read(List.of("status=" + report)).of(new RecordedRun(run, report)).get(0);
  }

  @Test
  void of_aNumberedInvocation_isItsOwnResult() throws IOException {
    String cases =
        """
        <testcase classname="p.T" name="m(int)[1]"><failure/></testcase>
        <testcase classname="p.T" name="m(int)[2]"/>
        <testcase classname="p.T" name="m{int[]}[3]"><skipped/></testcase>
        """;
    assertThat(label(cases, "p.T.m-1")).isEqualTo("failed");
    assertThat(label(cases, "p.T.m-2")).isEqualTo("passed");
    assertThat(label(cases, "p.T.m-3")).isEqualTo("skipped");
    assertThat(label(cases, "p.T.m")).isEqualTo("failed");
  }

  @Test
  void of_invocationsWithoutNumbers_isTheWorstResult() throws IOException {
    String cases =
        """
        <testcase classname="p.T" name="m(int)"><failure/></testcase>
        <testcase classname="p.T" name="m(int)"/>
        """;
    assertThat(label(cases, "p.T.m-1")).isEqualTo("failed");
    assertThat(label(cases, "p.T.m-2")).isEqualTo("failed");
    assertThat(label(cases, "p.T.other")).isEqualTo("-");
  }
}
