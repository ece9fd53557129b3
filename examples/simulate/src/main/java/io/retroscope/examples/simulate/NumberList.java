// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Lists of numbers in the forms {@code 10,20,50}, {@code 0..60}, {@code 0..60:2}. */
final class NumberList {
  /** The maximum length; a longer list is treated as a mistake. */
  static final int MAX_NUMBERS = 1_000;

  private static final Pattern WHOLES =
      Pattern.compile("(-?\\d{1,9})(?:\\.\\.(-?\\d{1,9})(?::(\\d{1,9}))?)?");

  private NumberList() {}

  /** Whole numbers in the order given. */
  record Wholes(List<Integer> numbers) {
    Wholes {
      numbers = List.copyOf(numbers);
    }
  }

  /** Decimal numbers in the order given. */
  record Decimals(List<Double> numbers) {
    Decimals {
      numbers = List.copyOf(numbers);
    }
  }

  /** A minimum and a maximum. */
  record Range(int least, int most) {}

  /** A converter of whole numbers and ranges of them, with an optional step. */
  static final class WholesConverter implements ITypeConverter<Wholes> {
    @Override
    public Wholes convert(String text) {
      List<Integer> numbers = new ArrayList<>();
      for (String part : text.split(",", -1)) {
        Matcher matcher = WHOLES.matcher(part.strip());
        if (!matcher.matches()) {
          throw wrong(text, "whole numbers (like 10,20,50 or 0..60 or 0..60:2)");
        }
        int from = Integer.parseInt(matcher.group(1));
        int to = matcher.group(2) == null ? from : Integer.parseInt(matcher.group(2));
        int step = matcher.group(3) == null ? 1 : Integer.parseInt(matcher.group(3));
        if (to < from || step < 1) {
          throw wrong(text, "a range from low to high");
        }
        if (((long) to - from) / step + numbers.size() >= MAX_NUMBERS) {
          throw wrong(text, "at most " + MAX_NUMBERS + " numbers");
        }
        IntStream.iterate(from, i -> i <= to, i -> i + step).forEach(numbers::add);
      }
      return new Wholes(numbers);
    }
  }

  /** A converter of decimal numbers. */
  static final class DecimalsConverter implements ITypeConverter<Decimals> {
    @Override
    public Decimals convert(String text) {
      try {
        return new Decimals(
            Stream.of(text.split(",", -1)).map(part -> Double.valueOf(part.strip())).toList());
      } catch (NumberFormatException e) {
        throw wrong(text, "numbers (like 0.1,0.5,1)");
      }
    }
  }

  /** A converter of a minimum and a maximum, like {@code 3..10}; a single number is both. */
  static final class RangeConverter implements ITypeConverter<Range> {
    @Override
    public Range convert(String text) {
      Matcher matcher = WHOLES.matcher(text);
      if (!matcher.matches() || matcher.group(3) != null) {
        throw wrong(text, "a range (like 3..10)");
      }
      int least = Integer.parseInt(matcher.group(1));
      return new Range(
          least, matcher.group(2) == null ? least : Integer.parseInt(matcher.group(2)));
    }
  }

  private static TypeConversionException wrong(String text, String wanted) {
    return new TypeConversionException("\"" + text + "\" should be " + wanted);
  }
}
