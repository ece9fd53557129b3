// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.print.OutputFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterpreterTest {
  private final ShellFixture fixture = new ShellFixture();
  private final FakeSession session = new FakeSession();
  private final ShellSettings settings =
      new ShellSettings(new PrintWriter(fixture.out), OutputFormat.CSV, ShellSettings.Expanded.OFF);
  private final Interpreter interpreter = fixture.interpreter(session, settings, false);

  @TempDir private Path folder;

  @Test
  void text_statements_printsTheirResultsInOrder() {
    assertThat(interpreter.text("one; two;\nthree")).isEqualTo(ExitCode.OK);

    assertThat(out()).isEqualTo("n,text\n1,one;\nn,text\n2,two;\nn,text\n3,three\n");
    assertThat(err()).isEmpty();
  }

  @Test
  void text_failedStatement_endsTheScript() {
    assertThat(interpreter.text("one; wrong; two;")).isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(session.statements).containsExactly("one;", "wrong;");
    assertThat(err())
        .isEqualTo(
            """
            error[RQL0203]: unknown variable "wrong"
            LINE 1: wrong;
                    ^^^^^
            help: did you mean "right"?
            """);
  }

  @ParameterizedTest
  @CsvSource({"aligned, ''", "vertical, ''", "markdown, ''", "csv, 'n,text\n'", "json, '[]\n'"})
  void text_failedBeforeItsFirstRow_looksLikeNoAnswer(String format, String printed) {
    interpreter.text("\\format " + format);
    assertThat(interpreter.text("refused;")).isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(out()).isEqualTo(printed);
    assertThat(err()).endsWith("error: the first cut has no answer\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "csv; n,text,mark|1,SELECT STREAM amended FROM t,|9,second,late|,,retracted|",
        "jsonl; {\"n\":1,\"text\":\"SELECT STREAM amended FROM t\"}"
            + "|{\"late\":true,\"n\":9,\"text\":\"second\"}|{\"retracted\":\"1.0\"}|"
      })
  void live_lateAndRetractedRows_areMarkedAmongTheRows(String format, String printed) {
    interpreter.text("\\format " + format);
    assertThat(interpreter.text("SELECT STREAM amended FROM t")).isEqualTo(ExitCode.OK);
    assertThat(out()).isEqualTo(printed.replace('|', '\n'));
    assertThat(err()).isEqualTo("results are printed as " + format + "\n");
  }

  @Test
  void live_chart_saysWhatItCannotShow() {
    interpreter.text("\\format chart");
    interpreter.text("SELECT STREAM amended FROM t");
    assertThat(err())
        .contains("late: the row at hlc'2.0'\n", "retracted: the row at hlc'1.0', because");
  }

  @Test
  void set_variable_isReplacedInStatementsAndEcho() {
    interpreter.text("\\set node zk1\n\\set limit 3");
    assertThat(interpreter.text("a :node :'node' :limit '::node :node' n : (x) :other\n;"))
        .isEqualTo(ExitCode.OK);
    assertThat(session.statements)
        .containsExactly("a zk1 'zk1' 3 '::node :node' n : (x) :other\n;");
    assertThat(interpreter.text("\\echo at :node")).isEqualTo(ExitCode.OK);
    assertThat(out()).endsWith("at zk1\n");
    interpreter.text("\\set");
    assertThat(out()).endsWith(":limit 3\n:node zk1\n");
    assertThat(interpreter.text("\\unset node")).isEqualTo(ExitCode.OK);
    interpreter.text("b :node;");
    assertThat(session.statements).last().isEqualTo("b :node;");
    assertThat(interpreter.text("\\unset node")).isEqualTo(ExitCode.STATEMENT_FAILED);
  }

  @Test
  void set_misspeltSetting_isNoVariable() {
    assertThat(interpreter.text("\\set colums all")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).contains("no setting \"colums\"; did you mean columns?");
    assertThat(interpreter.text("\\set zone Nowhere")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("\\set zone Asia/Tokyo")).isEqualTo(ExitCode.OK);
    assertThat(settings.zoneName()).isEqualTo("Asia/Tokyo");
  }

  @Test
  void system_command_givesItsFailure() {
    assertThat(interpreter.text("\\! exit 0")).isEqualTo(ExitCode.OK);
    assertThat(interpreter.text("\\! exit 7")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).contains("\\! ended with code 7");
    assertThat(interpreter.text("\\e")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).contains("\\e needs a terminal");
  }

  @Test
  void entered_helpWithinAStatement_leavesTheStatementOpen() {
    assertThat(interpreter.entered("SELECT a\nhelp")).isEqualTo("SELECT a\n");
    assertThat(out()).contains("A statement ends with a semicolon");
    assertThat(interpreter.entered("SELECT a\n'\nhelp\n'\nFROM b;")).isEmpty();
    assertThat(session.statements).containsExactly("SELECT a\n'\nhelp\n'\nFROM b;");
    assertThat(interpreter.left()).isFalse();
    assertThat(interpreter.entered("SELECT a\n\\q")).isNotEmpty();
    assertThat(interpreter.left()).isTrue();
  }

  @Test
  void describeWhole_log_showsItsStateToo() {
    interpreter.text("\\d+ b-1\n\\d+");
    assertThat(session.statements)
        .containsExactly(
            "DESCRIBE `b-1`;", "SELECT * FROM `b-1` ON TIME NOW;", "SHOW LOGS;", "SHOW NODES;");
    interpreter.text("\\conninfo");
    assertThat(out()).endsWith("statements go to " + session.target() + "\n");
  }

  @Test
  void typed_failedStatement_doesNotEndWhatWasPastedWithIt() {
    assertThat(interpreter.typed("wrong; one;\n\\nonsense\ntwo;"))
        .isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(session.statements).containsExactly("wrong;", "one;", "two;");
  }

  @Test
  void typed_cancelled_endsAllThatWasPasted() throws IOException {
    Path file = folder.resolve("a.rql");
    Files.writeString(file, "one;\ncancel;\ntwo;\n");
    session.whenRun = fixture.cancellation::cancel;

    interpreter.typed("\\i " + file + "\nthree;");
    assertThat(session.statements).containsExactly("one;", "cancel;");
    interpreter.typed("four; five;");
    assertThat(session.statements).endsWith("four;", "five;");
  }

  @Test
  void text_ignoreErrors_continuesAndReportsTheFailure() {
    Interpreter careless = fixture.interpreter(session, settings, true);

    assertThat(careless.text("wrong; busy; \n\\nonsense\ntwo;"))
        .isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(session.statements).containsExactly("wrong;", "busy;", "two;");
    assertThat(err())
        .contains("error: too many queries run\n")
        .contains("error: unknown command \\nonsense; \\? lists the commands\n");
  }

  @Test
  void text_connectionLost_endsEvenWhenErrorsAreIgnored() {
    Interpreter careless = fixture.interpreter(session, settings, true);

    assertThat(careless.text("lost; two;")).isEqualTo(ExitCode.CONNECTION_LOST);

    assertThat(session.statements).containsExactly("lost;");
    assertThat(out()).contains("1,lost;");
    assertThat(err()).isEqualTo("error: no connection to fake: is the server running?\n");
  }

  @Test
  void text_warning_isNeverAmongTheRows() {
    interpreter.text("warn;");

    assertThat(out()).isEqualTo("n,text\n1,warn;\n");
    assertThat(err()).isEqualTo("warning: events of zk1 are missing\n");
  }

  @Test
  void describe_withAndWithoutALog_asksTheServer() {
    interpreter.text("\\d\n\\d setd\n\\d setd;\n\\d `a b`\n\\d a`b");

    assertThat(session.statements)
        .containsExactly(
            "SHOW LOGS;",
            "DESCRIBE `setd`;",
            "DESCRIBE `setd`;",
            "DESCRIBE `a b`;",
            "DESCRIBE `a``b`;");
  }

  @Test
  void timing_on_saysHowLongAStatementTook() {
    interpreter.text("\\timing\none;\n\\timing\ntwo;");

    assertThat(err()).isEqualTo("timing is on\ntime: 0.000 ms\ntiming is off\n");
  }

  @Test
  void set_alone_listsTheSettings() {
    interpreter.text("\\set");

    assertThat(out())
        .startsWith("columns all       all, fit (the terminal) or expanded")
        .contains("\nrows    all       a number or all\n", "\ntiming  off       on or off\n");
  }

  @Test
  void set_name_changesOneSetting() {
    interpreter.text("\\set timing on\n\\set rows 7\n\\set columns fit\n\\set");

    assertThat(out()).contains("columns fit ", "rows    7 ", "timing  on ");
  }

  @Test
  void set_unknownNameOrValue_saysWhatThereIs() {
    assertThat(interpreter.text("\\set colour")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("\\set columns some")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("\\set format")).isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(err())
        .contains(
            "no setting \"colour\"; \\set lists all of them",
            "\\set columns expects all, fit or expanded: some",
            "\\set format expects a name");
  }

  @Test
  void text_timeOfAPerson_isSentAsAnInstant() {
    interpreter.text("SELECT r1 FROM setd ON TIME '02:52:35' TO '03:00';");

    assertThat(session.statements)
        .containsExactly(
            "SELECT r1 FROM setd ON TIME '2026-11-22T02:52:35+01:00' TO"
                + " '2026-11-22T03:00:00+01:00';");
    assertThat(err()).contains("times without a zone are those of Europe/Berlin");
  }

  @Test
  void format_named_changesHowResultsArePrinted() {
    interpreter.text("\\format jsonl\none;");

    assertThat(out()).isEqualTo("{\"n\":1,\"text\":\"one;\"}\n");
    assertThat(interpreter.text("\\format")).isEqualTo(ExitCode.OK);
    assertThat(out()).contains("the format is jsonl of aligned, vertical, csv");
    assertThat(interpreter.text("\\format word")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).contains("aligned, vertical, csv, tsv, json, jsonl, markdown, chart");
  }

  @Test
  void expanded_tables_becomeRecordsAndBack() {
    interpreter.text("\\format aligned\n\\x\none;\n\\x\ntwo;");

    assertThat(out())
        .isEqualTo(
            """
            -[ row 1 ]-
            n    | 1
            text | one;
            (1 row)
             n | text
            ---+------
             2 | two;
            (1 row)
            """);
  }

  @Test
  void expanded_words_setItAbsolutely() {
    interpreter.text("\\format aligned\n\\x on\n\\x on\none;\n\\x auto\ntwo;\n\\x off\n\\x maybe");

    assertThat(out())
        .startsWith("-[ row 1 ]-\nn    | 1\n")
        .endsWith(" n | text\n---+------\n 2 | two;\n(1 row)\n");
    assertThat(err()).endsWith("error: \\x expects on, off or auto: maybe\n");
  }

  @Test
  void expanded_auto_printsRecordsWhereATableIsTooWide() throws IOException {
    String longText = "'" + "x".repeat(60) + "';";
    Path file = folder.resolve("out.txt");

    interpreter.text("\\format aligned\n\\x auto\n" + longText + "\n\\o " + file + "\n" + longText);
    settings.close();

    assertThat(out())
        .isEqualTo(
            "-[ row 1 ]" + "-".repeat(50) + "\nn    | 1\ntext | " + longText + "\n(1 row)\n");
    assertThat(file).content().contains(" 2 | " + longText);
  }

  @Test
  void timing_whileAReaderIsInThePager_isThatOfTheStatement() {
    List<String> paged = new ArrayList<>();
    Pager slow =
        new Pager() {
          @Override
          public int height() {
            return 1;
          }

          @Override
          public void show(Path text) throws IOException {
            paged.add(Files.readString(text));
            fixture.clock.pause(60_000);
          }
        };
    ShellSettings table =
        new ShellSettings(
            new PrintWriter(fixture.out), OutputFormat.ALIGNED, ShellSettings.Expanded.OFF);
    table.pages(true);
    table.timing(true);
    fixture.interpreter(session, table, false, Optional.of(slow)).text("one;");
    assertThat(paged).singleElement().asString().contains("one;");
    assertThat(err()).isEqualTo("time: 0.000 ms\n");
  }

  @Test
  void timing_words_setItAbsolutely() {
    interpreter.text("\\timing on\n\\timing on\n\\timing off\n\\timing soon");

    assertThat(err())
        .isEqualTo(
            "timing is on\ntiming is on\ntiming is off\nerror: \\timing expects on or off: soon\n");
  }

  @Test
  void play_lastStatement_isWritten() {
    Path file = folder.resolve("a.wav");

    assertThat(interpreter.text("\\play " + file)).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("one;\n\\play")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("one;\n\\play " + file)).isEqualTo(ExitCode.OK);
    assertThat(interpreter.text("\\play no\0name")).isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(file).hasContent("one;");
    assertThat(err())
        .contains("there is none yet", "\\play needs a file", "wrote a.wav\n", "not a file name");
  }

  @Test
  void output_file_takesResultsUntilTheyComeBack() throws IOException {
    Path file = folder.resolve("out.csv");

    interpreter.text("\\o " + file + "\none;\ntwo;\n\\o\nthree;");

    assertThat(file).content().isEqualTo("n,text\r\n1,one;\r\nn,text\r\n2,two;\r\n");
    assertThat(out()).isEqualTo("n,text\n3,three;\n");
    assertThat(interpreter.text("\\o " + folder)).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).contains("error: cannot write " + folder);
  }

  @Test
  void include_file_runsItsStatements() throws IOException {
    Path file = folder.resolve("a.rql");
    Files.writeString(file, "one;\n\\format jsonl\ntwo");

    assertThat(interpreter.text("\\i " + file)).isEqualTo(ExitCode.OK);

    assertThat(out()).isEqualTo("n,text\n1,one;\n{\"n\":2,\"text\":\"two\"}\n");
  }

  @Test
  void include_whatCannotBeRead_saysWhy() throws IOException {
    Path latin = folder.resolve("latin1.rql");
    Files.write(latin, new byte[] {(byte) 0xE4, ';', '\n'});

    assertThat(interpreter.text("\\i nowhere.rql")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("\\i " + latin)).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(interpreter.text("\\i")).isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(err())
        .contains("error: cannot read nowhere.rql: there is no such file or folder\n")
        .contains("latin1.rql: it is not UTF-8\n")
        .contains("\\i needs a file");
  }

  @Test
  void include_fileThatIncludesItself_ends() throws IOException {
    Path file = folder.resolve("loop.rql");
    Files.writeString(file, "\\i " + file + "\n");

    assertThat(interpreter.text("\\i " + file)).isEqualTo(ExitCode.STATEMENT_FAILED);

    assertThat(err()).contains("nested deeper than " + Interpreter.MAX_INCLUDE_DEPTH + " files");
  }

  @Test
  void watch_times_repeatsTheLastStatement() {
    interpreter.text("one;\n\\watch 0.5s 3");

    assertThat(session.statements).containsExactly("one;", "one;", "one;", "one;");
    assertThat(fixture.clock.pauses).isEqualTo(2);
    assertThat(fixture.clock.nanos).isEqualTo(1_000_000_000L);
  }

  @Test
  void watch_wrongArguments_saysWhatItTakes() {
    assertThat(interpreter.text("\\watch")).isEqualTo(ExitCode.STATEMENT_FAILED);
    interpreter.text("one;");
    for (String argument : new String[] {"0", "x", "2 0", "1 2 3", "NaN", "1e9"}) {
      assertThat(interpreter.text("\\watch " + argument))
          .as(argument)
          .isEqualTo(ExitCode.STATEMENT_FAILED);
    }
    assertThat(session.statements).containsExactly("one;");
  }

  @Test
  void leave_restOfTheScript_isNotRun() {
    assertThat(interpreter.text("one;\n\\q\ntwo;")).isEqualTo(ExitCode.OK);

    assertThat(interpreter.left()).isTrue();
    assertThat(session.statements).containsExactly("one;");
  }

  @Test
  void help_anyWord_listsEveryCommand() {
    interpreter.text("help");

    for (String command : RqlCompleter.COMMANDS) {
      assertThat(out()).contains("  " + command);
    }
  }

  @Test
  void help_topic_saysMoreOfIt() {
    interpreter.text("help select");
    assertThat(out()).startsWith("SELECT [STREAM] items FROM log, ...\n");
    interpreter.text("\\h Spread(r1)\nhelp on time;\nhelp \\watch\nhelp functions");

    assertThat(out())
        .contains("\nSpread(r)   the greatest value minus the least\n")
        .contains("\nON TIME point ")
        .contains("\n\\watch [S [N]]  repeat the last statement")
        .contains("\nAbs(x) ");
    assertThat(interpreter.text("help me")).isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).isEqualTo("error: no help on me; help alone shows an overview\n");
  }

  @Test
  void help_everyTopic_saysSomethingThatFitsATerminal() {
    for (String topic : ShellHelp.topics()) {
      assertThat(ShellHelp.on(topic)).as(topic).isPresent();
      if (!topic.equals("functions")) {
        assertThat(ShellHelp.on(topic).get().lines()).as(topic).allMatch(l -> l.length() <= 116);
      }
    }
    assertThat(ShellHelp.TEXT.lines()).allMatch(line -> line.length() <= 100);
  }

  private String out() {
    settings.out().flush();
    return fixture.out.toString().replace("\r\n", "\n");
  }

  private String err() {
    return fixture.err.toString();
  }
}
