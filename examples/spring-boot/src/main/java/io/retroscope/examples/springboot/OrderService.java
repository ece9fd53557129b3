// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.springboot;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** A service that takes orders, and reserves their goods at another process of itself. */
@SpringBootApplication
@RestController
public class OrderService {
  private static final Logger LOGGER = LoggerFactory.getLogger(OrderService.class);

  private final EventLog log;
  private final RestClient stock;

  OrderService(
      Recorder recorder, RestClient.Builder clients, @Value("${stock.url:}") String stock) {
    this.log = recorder.log("shop");
    this.stock = clients.baseUrl(stock).build();
  }

  /** Takes an order. */
  @GetMapping("/orders/{number}")
  public String order(@PathVariable("number") long number) {
    log.set("ordered", number);
    LOGGER.atInfo().addKeyValue("order", number).log("order taken");
    return "order " + stock.get().uri("/stock/{number}", number).retrieve().body(String.class);
  }

  /** Reserves the goods of an order. */
  @GetMapping("/stock/{number}")
  public String reserve(@PathVariable("number") long number) {
    log.set("reserved", number);
    return number + " reserved";
  }

  /** Starts the service. */
  public static void main(String[] args) {
    SpringApplication.run(OrderService.class, args);
  }
}
