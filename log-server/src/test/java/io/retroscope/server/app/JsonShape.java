// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The members and types of a JSON value that a page shows. Where the page has three dots any value
 * is right, and if an object ends with them, it may have more members.
 */
final class JsonShape {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String MORE = "\"*\":null";

  private final JsonNode sample;

  /** A sample as it is written on the page. */
  JsonShape(String text) {
    String json =
        text.replaceAll(",\\.\\.\\.\\}", "," + MORE + "}")
            .replaceAll("\\[\\.\\.\\.\\]", "[]")
            .replaceAll("\"\\.\\.\\.\"", "null")
            .replaceAll(":\\.\\.\\.", ":null")
            .replaceAll(":n\\b", ":0");
    sample = JSON.readTree(json.startsWith("\"") ? "{" + json + "}" : json);
  }

  /** The places at which another value differs in its members or types; null is of any type. */
  List<String> differences(JsonNode real) {
    List<String> places = new ArrayList<>();
    compare("", sample, real, places);
    return places;
  }

  private static void compare(String place, JsonNode shown, JsonNode real, List<String> places) {
    if (shown.isNull() || real.isNull()) {
      return;
    }
    if (shown.getNodeType() != real.getNodeType()) {
      places.add(place + ": " + shown.getNodeType() + " on the page, " + real.getNodeType());
    } else if (shown.isObject()) {
      compareMembers(place, shown, real, places);
    } else if (shown.isArray() && !shown.isEmpty()) {
      compareElements(place, shown, real, places);
    }
  }

  /**
   * Plain values are compared one by one, and of others the first, which shows what they have. A
   * row, which is an element itself, has as many values as it shows.
   */
  private static void compareElements(
      String place, JsonNode shown, JsonNode real, List<String> places) {
    if (real.isEmpty()) {
      places.add(place + " is empty, so nothing is compared");
      return;
    }
    boolean isPlain = shown.get(0).isValueNode();
    boolean isRow = isPlain && place.endsWith("]");
    if (isPlain && (isRow ? shown.size() != real.size() : shown.size() > real.size())) {
      places.add(place + ": " + shown.size() + " elements on the page, " + real.size());
      return;
    }
    for (int i = 0; i < (isPlain ? shown.size() : 1); i++) {
      compare(place + "[" + i + "]", shown.get(i), real.get(i), places);
    }
  }

  private static void compareMembers(
      String place, JsonNode shown, JsonNode real, List<String> places) {
    for (String name : shown.propertyNames()) {
      if (real.has(name)) {
        compare(place + "." + name, shown.get(name), real.get(name), places);
      } else if (!name.equals("*")) {
        places.add(place + "." + name + " is on the page only");
      }
    }
    for (String name : real.propertyNames()) {
      if (!shown.has(name) && !shown.has("*")) {
        places.add(place + "." + name + " is not on the page");
      }
    }
  }
}
