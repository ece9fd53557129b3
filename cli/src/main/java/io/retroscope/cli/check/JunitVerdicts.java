// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.check;

import io.retroscope.rql.rule.EpisodeText;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Verdicts in the form of Surefire's reports, which CI servers read. */
final class JunitVerdicts {
  private JunitVerdicts() {}

  static void write(String target, List<RuleResult> results, List<String> cost, Writer out)
      throws IOException {
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(out);
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeCharacters("\n");
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "retroscope check " + plain(target));
      xml.writeAttribute("tests", String.valueOf(results.size()));
      xml.writeAttribute("failures", count(results, Outcome.BROKEN));
      xml.writeAttribute("errors", count(results, Outcome.WRONG));
      long open = results.stream().filter(result -> result.outcome().isOpen()).count();
      xml.writeAttribute("skipped", String.valueOf(open));
      xml.writeAttribute("time", seconds(results.stream().mapToLong(RuleResult::nanos).sum()));
      for (RuleResult result : results) {
        testCase(xml, result);
      }
      if (!cost.isEmpty()) {
        xml.writeCharacters("\n  ");
        xml.writeStartElement("system-out");
        xml.writeCharacters(plain(String.join("\n", cost)));
        xml.writeEndElement();
      }
      xml.writeCharacters("\n");
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.writeCharacters("\n");
      xml.flush();
    } catch (XMLStreamException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static void testCase(XMLStreamWriter xml, RuleResult result) throws XMLStreamException {
    xml.writeCharacters("\n  ");
    xml.writeStartElement("testcase");
    xml.writeAttribute("name", plain(result.rule()));
    xml.writeAttribute("classname", plain(result.place().replaceFirst(":\\d+$", "")));
    xml.writeAttribute("time", seconds(result.nanos()));
    String warnings =
        Stream.of(
                result.provisional().stream(),
                TextVerdicts.borderline(result).stream(),
                result.warnings().stream())
            .flatMap(sentences -> sentences)
            .collect(Collectors.joining("\n"));
    switch (result.outcome()) {
      case HOLDS -> {}
      case BROKEN -> problem(xml, "failure", headline(result), String.join("\n", lines(result)));
      case WRONG -> problem(xml, "error", "the rule is wrong", result.reason());
      case INCONCLUSIVE, NOT_YET, VACUOUS -> {
        xml.writeEmptyElement("skipped");
        xml.writeAttribute("message", plain(open(result)));
      }
    }
    if (!warnings.isEmpty()) {
      xml.writeStartElement("system-err");
      xml.writeCharacters(plain(warnings));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static String open(RuleResult result) {
    return result.outcome() == Outcome.INCONCLUSIVE
        ? result.reason()
        : (result.outcome().word() + ": " + result.reason()).replaceFirst(": $", "");
  }

  private static List<String> lines(RuleResult broken) {
    return Stream.concat(EpisodeText.lines(broken).stream(), ExplanationText.lines(broken).stream())
        .toList();
  }

  private static String headline(RuleResult result) {
    return result.description().isEmpty() ? result.rule() + " is broken" : result.description();
  }

  private static void problem(XMLStreamWriter xml, String element, String message, String text)
      throws XMLStreamException {
    xml.writeStartElement(element);
    xml.writeAttribute("message", plain(message));
    xml.writeAttribute("type", element.equals("failure") ? "broken" : "wrong");
    xml.writeCharacters(plain(text));
    xml.writeEndElement();
  }

  private static String count(List<RuleResult> results, Outcome outcome) {
    return String.valueOf(TextVerdicts.count(results, outcome));
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
  }

  /** The text without the characters that XML 1.0 does not have. */
  private static String plain(String text) {
    StringBuilder plain = new StringBuilder();
    text.codePoints().map(c -> isInXml(c) ? c : '\uFFFD').forEach(plain::appendCodePoint);
    return plain.toString();
  }

  private static boolean isInXml(int c) {
    return c == '\t'
        || c == '\n'
        || c == '\r'
        || (c >= ' ' && c <= 0xD7FF)
        || (c >= 0xE000 && c <= 0xFFFD)
        || c >= 0x10000;
  }
}
