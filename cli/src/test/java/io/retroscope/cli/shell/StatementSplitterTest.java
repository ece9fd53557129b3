// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.shell.ShellInput.Command;
import io.retroscope.cli.shell.ShellInput.StatementText;
import io.retroscope.rql.parser.ParseLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatementSplitterTest {
  @Test
  void line_statementsOnOneLine_areApart() {
    assertThat(split("SELECT 1; SHOW LOGS ;"))
        .containsExactly(statement("SELECT 1;"), statement("SHOW LOGS ;"));
  }

  @Test
  void line_statementOverLines_continuesToItsSemicolon() {
    assertThat(split("SELECT r1", "FROM setd;", "SHOW LOGS;"))
        .containsExactly(statement("SELECT r1\nFROM setd;"), statement("SHOW LOGS;"));
  }

  @Test
  void line_semicolonInStringNameOrComment_endsNothing() {
    assertThat(split("SELECT 'a;b', \"c;\", `d;` -- e;", "/* f;", "g; */ FROM setd;"))
        .containsExactly(statement("SELECT 'a;b', \"c;\", `d;` -- e;\n/* f;\ng; */ FROM setd;"));
  }

  @Test
  void end_lastStatementWithoutSemicolon_isOneToo() {
    assertThat(split("SHOW LOGS;", "SHOW NODES")).endsWith(statement("SHOW NODES"));
  }

  @Test
  void end_commentsOnly_areNothing() {
    assertThat(split("-- a", "/* b */", "", "SHOW LOGS; -- c"))
        .containsExactly(statement("-- a\n/* b */\n\nSHOW LOGS;"));
    assertThat(split("# a", "")).isEmpty();
  }

  @Test
  void line_backslashWhereNoStatementHasBegun_isACommand() {
    assertThat(split("\\d", " \\d  setd ", "-- c", "\\watch 2 3"))
        .containsExactly(
            new Command("\\d", ""), new Command("\\d", "setd"), new Command("\\watch", "2 3"));
  }

  @Test
  void line_backslashInsideAStatement_isSetDifference() {
    assertThat(split("SELECT a", "\\ b FROM s;"))
        .containsExactly(statement("SELECT a\n\\ b FROM s;"));
  }

  @Test
  void line_wordsPeopleTryFirst_areCommands() {
    assertThat(split("help", "EXIT", "quit;"))
        .containsExactly(new Command("\\?", ""), new Command("\\q", ""), new Command("\\q", ""));
    assertThat(split("?", "help select", "HELP  on time;"))
        .containsExactly(
            new Command("\\?", ""), new Command("\\?", "select"), new Command("\\?", "on time;"));
    assertThat(split("SELECT", "help", ";")).containsExactly(statement("SELECT\nhelp\n;"));
  }

  @Test
  void line_loneName_isHandedOnAtOnce() {
    StatementSplitter splitter = new StatementSplitter();

    assertThat(splitter.line("ls")).containsExactly(statement("ls"));
    assertThat(splitter.line("SELECT")).isEmpty();
    assertThat(splitter.line("ls")).isEmpty();
    assertThat(splitter.line("FROM l;")).containsExactly(statement("SELECT\nls\nFROM l;"));
  }

  @Test
  void line_semicolonsOnly_areNothing() {
    assertThat(split(";", " ; ;", "/* a */ ;", "1;;")).containsExactly(statement("1;"));
  }

  @Test
  void line_endlessStatement_isHandedOnAtTheParsersLimit() {
    String half = "1".repeat(ParseLimits.DEFAULT.maxCharacters() / 2);
    StatementSplitter splitter = new StatementSplitter();

    assertThat(splitter.line(half)).isEmpty();
    assertThat(splitter.line(half)).hasSize(1);
    assertThat(splitter.end()).isEmpty();
  }

  @Test
  void isComplete_textBeingEdited_needsItsSemicolon() {
    for (String complete :
        List.of("", " ", "-- a", "SHOW LOGS;", "\\d", "help", "SELECT 1; # x", "ls", ";")) {
      assertThat(StatementSplitter.isComplete(complete)).as(complete).isTrue();
    }
    for (String open : List.of("SHOW LOGS", "SELECT ';", "/* ;", "SELECT 1; SELECT 2", "1\n\\d")) {
      assertThat(StatementSplitter.isComplete(open)).as(open).isFalse();
    }
  }

  private static StatementText statement(String text) {
    return new StatementText(text);
  }

  private static List<ShellInput> split(String... lines) {
    StatementSplitter splitter = new StatementSplitter();
    List<ShellInput> inputs = new ArrayList<>();
    for (String line : lines) {
      inputs.addAll(splitter.line(line));
    }
    inputs.addAll(splitter.end());
    return inputs;
  }
}
