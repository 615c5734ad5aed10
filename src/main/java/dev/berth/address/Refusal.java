package dev.berth.address;

import java.math.BigInteger;

/**
 * Why one pool gives no address of one family.
 *
 * @param rule the first rule that said no
 * @param free addresses of the family that were left
 * @param capacity addresses of the family in all
 */
public record Refusal(String pool, IpFamily family, Rule rule, BigInteger free, BigInteger capacity) {}
