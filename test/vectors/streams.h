// SPDX-License-Identifier: MIT
// Written by make_streams.py; do not edit.
// NumPy 1.24.2, PyTorch 1.13.0a0.
// clang-format off
#include <stdint.h>

// NumPy: seeds; for each the state after seeding (state high, low, increment high, low),
// ten 64-bit words, and ten doubles as their bits.
static const uint64_t numpy_seeds[8] = {
    0x0000000000000000U, 0x0000000000000001U, 0x000000000000007bU, 0x0000000000003039U, 0x0000000100000000U,
    0x0000000100000001U, 0x0000001234567890U, 0xffffffffffffffffU,
};

static const uint64_t numpy_states[32] = {
    0x1aa1b5345996452dU, 0x09585eb7a69561e3U, 0x418ddadb3af71a82U, 0x588133bc447873a9U, 0x9c5b484bfedb756cU,
    0x2a6e7d6f320fbc7eU, 0x922af2da2645f895U, 0xa19857b95740937bU, 0x786df8ae32b3fe64U, 0x5bee00f1ac1e7b4dU,
    0x0d4e48fee886333aU, 0x26dbcfc7823f9c3bU, 0x1905e0335aae9634U, 0x9199b0d09775add5U, 0xc9c7353e6e2b1f28U,
    0x7d761f2d4027fae7U, 0x24d060cf1520dbddU, 0x21bbf7fbff1ac5d4U, 0x77ff3ed86c5c5633U, 0x7b62eea7340ca9c7U,
    0x16bf301a65078d13U, 0xfe1f715f3361229dU, 0x1c73ea0896542051U, 0x7006018bc99dfc4dU, 0x0c0f03e5bcc15796U,
    0x45f272a5c0367d49U, 0x93b94048af9ca204U, 0x93cc33689f8c890dU, 0xddc419442aebde79U, 0x4d8b0a3b048acdb0U,
    0x37762aacb3cc854fU, 0x4ed623c7d18951edU,
};

static const uint64_t numpy_words[80] = {
    0xa30febcfd9c2825fU, 0x4510bdf882d9d721U, 0x0a7d3da94ecde8b8U, 0x043b27b61342f01dU, 0xd0327a782cde513bU,
    0xe9aa5979a6401c4eU, 0x9b4c7b7180edb27fU, 0xbac0495ff8829a45U, 0x8b2b01e7a1dc7fbfU, 0xef60e8078f56bfedU,
    0x8306bdf37922e4ffU, 0xf35196bbc152a866U, 0x24e7a4f608ec18cdU, 0xf2dab0aed2ac6fd2U, 0x4fd42fa03fcd72a9U,
    0x6c5f1f45de787048U, 0xd3e4513345ee6d24U, 0x68c1464c41ca3acaU, 0x8cb22c02a4d1fa2aU, 0x070e1d3215f30262U,
    0xaeae9c9903f3e9cdU, 0x0dc736db97cb6d23U, 0x3869812ee8b9ea96U, 0x2f32fdb1414d8c05U, 0x2d082b4c5567e0d6U,
    0xcfe56cf359099649U, 0xec605679738e6f90U, 0x46cd9469731030e9U, 0xd1db6f58c9ec490cU, 0xe3d001eddca601f0U,
    0x3a32b18db2ffc19dU, 0x51171315c9e4c4deU, 0xcc2024823444efd9U, 0xad1f06aea486e910U, 0x641fc168fd0b7b0dU,
    0x55334b27d6e48f43U, 0x992ac3319147e59dU, 0x2fcdcfc436908a5fU, 0xac39bd773aa89e2dU, 0xf119fe199d0cabffU,
    0xe3c5ebe285ac1625U, 0x8ea09968fe31dbccU, 0xcd084ff84d8de9beU, 0xf4de16ec3a8b9986U, 0x0f016733e42aeb52U,
    0x3c84c18710386ed2U, 0xc9ae0f694036465dU, 0x0014336a40d6852cU, 0xb9c8fcc209eb9ffdU, 0x9e677dedf50380c2U,
    0x54f596cd84cf4c1fU, 0x9ca536eb5cb7fa6aU, 0x81f436c89e9256f8U, 0x2803284383ad7625U, 0xcdd505e0e49b105fU,
    0x04d4439b7855d881U, 0x13a2cbedc8491169U, 0x6ffa0cbcff352015U, 0xf3fe33f26b689233U, 0xd07e9d9ced20dd35U,
    0xc87ee6b397a8aa6fU, 0x746af28ceb458cc1U, 0xcf96d384305a2d11U, 0xf708d0e9f338eeefU, 0x72c5e6f9caefdf6fU,
    0xe7bb69214bd7966eU, 0xbc2ce465edfcbbcaU, 0xe3fafe8cb652e2b6U, 0x028be164ad42eb69U, 0x801598283b628613U,
    0xae163a7a8c47568fU, 0xd86659f5f3382359U, 0x01e52b195bc2d24aU, 0xe5026aaf19a22db1U, 0x2103dd989acff71cU,
    0x519f668e4da8ffa0U, 0x96e7ca73cf907673U, 0x2ec49d1809f5929eU, 0xe92061b740f43764U, 0x82f5cc251a50fe03U,
};

static const uint64_t numpy_doubles[80] = {
    0x3fe461fd79fb3850U, 0x3fd1442f7e20b674U, 0x3fa4fa7b529d9bd0U, 0x3f90ec9ed84d0bc0U, 0x3fea064f4f059bcaU,
    0x3fed354b2f34c803U, 0x3fe3698f6e301db6U, 0x3fe758092bff1053U, 0x3fe165603cf43b8fU, 0x3fedec1d00f1ead7U,
    0x3fe060d7be6f245cU, 0x3fee6a32d7782a55U, 0x3fc273d27b04760cU, 0x3fee5b5615da558dU, 0x3fd3f50be80ff35cU,
    0x3fdb17c7d1779e1cU, 0x3fea7c8a2668bdcdU, 0x3fda30519310728eU, 0x3fe1964580549a3fU, 0x3f9c3874c857cc00U,
    0x3fe5d5d393207e7dU, 0x3fab8e6db72f96d0U, 0x3fcc34c097745cf4U, 0x3fc7997ed8a0a6c4U, 0x3fc68415a62ab3f0U,
    0x3fe9fcad9e6b2132U, 0x3fed8c0acf2e71cdU, 0x3fd1b3651a5cc40cU, 0x3fea3b6deb193d89U, 0x3fec7a003dbb94c0U,
    0x3fcd1958c6d97fe0U, 0x3fd445c4c5727930U, 0x3fe984049046889dU, 0x3fe5a3e0d5d490ddU, 0x3fd907f05a3f42deU,
    0x3fd54cd2c9f5b922U, 0x3fe32558663228fcU, 0x3fc7e6e7e21b4844U, 0x3fe58737aee75513U, 0x3fee233fc333a195U,
    0x3fec78bd7c50b582U, 0x3fe1d4132d1fc63bU, 0x3fe9a109ff09b1bdU, 0x3fee9bc2dd875173U, 0x3fae02ce67c855d0U,
    0x3fce4260c3881c34U, 0x3fe935c1ed2806c8U, 0x3f34336a40d68000U, 0x3fe7391f98413d73U, 0x3fe3ccefbdbea070U,
    0x3fd53d65b36133d2U, 0x3fe394a6dd6b96ffU, 0x3fe03e86d913d24aU, 0x3fc4019421c1d6b8U, 0x3fe9baa0bc1c9362U,
    0x3f93510e6de15760U, 0x3fb3a2cbedc84910U, 0x3fdbfe832f3fcd48U, 0x3fee7fc67e4d6d12U, 0x3fea0fd3b39da41bU,
    0x3fe90fdcd672f515U, 0x3fdd1abca33ad162U, 0x3fe9f2da70860b45U, 0x3feee11a1d3e671dU, 0x3fdcb179be72bbf6U,
    0x3fecf76d24297af2U, 0x3fe7859c8cbdbf97U, 0x3fec7f5fd196ca5cU, 0x3f845f0b256a1740U, 0x3fe002b305076c50U,
    0x3fe5c2c74f5188eaU, 0x3feb0ccb3ebe6704U, 0x3f7e52b195bc2d00U, 0x3feca04d55e33445U, 0x3fc081eecc4d67f8U,
    0x3fd467d9a3936a3eU, 0x3fe2dcf94e79f20eU, 0x3fc7624e8c04fac8U, 0x3fed240c36e81e86U, 0x3fe05eb984a34a1fU,
};

// NumPy: integers(lo, hi). seed, lo, hi; ten values; a 64-bit word and what is pending after it (or 0).
#define INTEGER_ROWS 10
static const uint64_t numpy_integers[150] = {
    0U, 0U, 10U, 8U, 6U,
    5U, 2U, 3U, 0U, 0U,
    0U, 1U, 8U, 16837368535893154894U, 0U,
    123U, 0U, 10U, 0U, 6U,
    5U, 0U, 9U, 2U, 2U,
    1U, 3U, 1U, 14980499527944476233U, 0U,
    0U, 3U, 9U, 8U, 6U,
    6U, 4U, 4U, 3U, 3U,
    3U, 4U, 7U, 16837368535893154894U, 0U,
    7U, 0U, 2147483648U, 2029167941U, 1342382292U,
    1469265226U, 1926751966U, 1241873585U, 1665772335U, 1790251937U,
    483628757U, 119253154U, 644602188U, 16114216841932056372U, 0U,
    0U, 0U, 2147483649U, 87989972U, 161576974U,
    376383645U, 1746484540U, 1394609703U, 1440696408U, 72124473U,
    1818006483U, 377217572U, 1853662621U, 9988196555773475118U, 0U,
    1U, 0U, 3000000000U, 1535464873U, 2851391088U,
    104557657U, 2845948340U, 935494355U, 2607075741U, 1269979346U,
    770976088U, 1227597408U, 1931486993U, 508375908893262434U, 2360486914U,
    12345U, 1000U, 3000001000U, 2097646094U, 682009066U,
    2365941964U, 950276018U, 2392097371U, 2028765011U, 2518276128U,
    1794927260U, 639430039U, 560203556U, 12410158567978999341U, 0U,
    5U, 4000000000U, 4294967295U, 4197861128U, 4237449534U,
    4006681958U, 4238316109U, 4138295979U, 4152004186U, 4185898427U,
    4084302059U, 4288927460U, 4015907793U, 7071907629674922639U, 0U,
    9U, 0U, 4294967295U, 1810532128U, 3737691869U,
    4127654943U, 1231870531U, 491168701U, 2590501578U, 2866977527U,
    3339483456U, 2760059524U, 3075517114U, 16885782812849806188U, 0U,
    3U, 17U, 18U, 17U, 17U,
    17U, 17U, 17U, 17U, 17U,
    17U, 17U, 17U, 1579948266424812280U, 0U,
};

// NumPy: FNV-1a of 2,000 rounds of integers(3, 9); 3 integers(0, 3000000000); every seventh round a
// double; all as 64-bit values, on default_rng(12345); then the state.
static const uint64_t numpy_mixed_fnv[1] = {
    0xa9e61cced62b6d96U,
};

static const uint64_t numpy_mixed_state[2] = {
    0x09f2e9bd734d5c4dU, 0x225c066a0acc84ddU,
};

// Square roots. The inputs are 64-bit words of default_rng(1) taken as bits of doubles, sign cleared,
// infinities and NaN left out, 30,000 tried; every third with its exponent cleared: a subnormal. FNV-1a of
// the roots' bits.
static const uint64_t root_double_fnv[1] = {
    0x8e8e844449bceb82U,
};

// The same with 32-bit halves as floats: lower half first, 30,000 words of default_rng(2).
static const uint64_t root_float_fnv[1] = {
    0x7a3ec820274eb2e4U,
};

// PyTorch: MT19937's words, lower 31 bits: ten for each of these seeds; then 3 after 2,000 more.
static const uint64_t torch_word_seeds[6] = {
    0x0000000000000000U, 0x0000000000000001U, 0x0000000000000007U, 0x0000000000003039U, 0x0000010000000007U,
    0xffffffffffffffffU,
};

static const uint32_t torch_words[78] = {
    0x0c7f0aacU, 0x17c4aa2fU, 0x3716a675U, 0x5821ccc0U, 0x1a4eb343U, 0x5ba252fbU, 0x0b7d76c3U, 0x58e57d67U,
    0x6c74a409U, 0x1fa1ded3U, 0x612851f2U, 0x2dbb10b2U, 0x05240e56U, 0x6ac1f425U, 0x7f4780ebU, 0x38672f8cU,
    0x6ebc1448U, 0x00077effU, 0x20ccc389U, 0x4d65aacbU, 0x7fc11e85U, 0x2591cb4fU, 0x3c7053c0U, 0x35f4a98fU,
    0x2a161ec3U, 0x0a9e1c51U, 0x1388f0afU, 0x3a32e4c4U, 0x47a8c219U, 0x51a829f6U, 0x703b9643U, 0x7a6cd0d3U,
    0x39350397U, 0x74a13667U, 0x7a5d855cU, 0x4ed9ecb9U, 0x66507d62U, 0x7967b47eU, 0x1eb83ccaU, 0x6dfb51e2U,
    0x63e12de5U, 0x50fdfd1dU, 0x21760881U, 0x2f154da4U, 0x0a2dada9U, 0x345e0ffeU, 0x5391517eU, 0x11566d65U,
    0x08364222U, 0x1b59f518U, 0x24e544b7U, 0x4627a6f0U, 0x1388f0afU, 0x3a32e4c4U, 0x47a8c219U, 0x51a829f6U,
    0x703b9643U, 0x7a6cd0d3U, 0x39350397U, 0x74a13667U, 0x7a5d855cU, 0x4ed9ecb9U, 0x66507d62U, 0x7967b47eU,
    0x1eb83ccaU, 0x18fe69a3U, 0x1c924122U, 0x6991ec0cU, 0x100cac47U, 0x49fe37b4U, 0x06bcfe40U, 0x47ae50d6U,
    0x454701faU, 0x0497b1d9U, 0x48977f20U, 0x141cdd22U, 0x0e6eadc6U, 0x6b3b802fU,
};

// PyTorch: the initial model for each of these seeds: FNV-1a of every parameter in parameters() order,
// then of all together; three words (31 bits) after it.
static const uint64_t torch_seeds[3] = {
    0x0000000000000000U, 0x0000000000000001U, 0x0000000000003039U,
};

#define MODEL_TENSORS 30
static const uint64_t torch_model_fnv[93] = {
    0x9ed89d5069b45487U, 0x9364cdbbcf11db3fU, 0xeafc787127b76d25U, 0xd80ac658736bb725U, 0xa0504a3dad6e6befU,
    0x83c997f517e27e22U, 0x8dfb1a1b180f1df3U, 0x433fa20a4e0b0fd5U, 0xeafc787127b76d25U, 0xd80ac658736bb725U,
    0x08f63bbd779713f0U, 0x48b34d72cd9d14bbU, 0x879333cecf028786U, 0xccb57ead54f0228eU, 0xeafc787127b76d25U,
    0xd80ac658736bb725U, 0x9b3cebc21dcb6993U, 0xea3c9858c9a71171U, 0x6716c23b33c3f192U, 0xabe6ea1fa8eeff20U,
    0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x2ec89ac43a1a5748U, 0xbc1c928530ad8e47U, 0x93a0df6a539f7892U,
    0xa7136de18c3ded31U, 0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x67ebef56bf216d40U, 0xa480be399ee7191aU,
    0xb21dda20ab091abbU, 0x7fa79e095e8eb8cfU, 0xe89864b45c11f7afU, 0xeafc787127b76d25U, 0xd80ac658736bb725U,
    0x7b4a91f1464043bdU, 0x1d11d5eca732244bU, 0x7b9904e27d48768bU, 0x5b986d3543279e79U, 0xeafc787127b76d25U,
    0xd80ac658736bb725U, 0x033b3cbc3627fb67U, 0x9edebedbce9f5f5fU, 0xbecd52f4b665252bU, 0xf89cd62e578ece10U,
    0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x67adfec84a8d7e51U, 0x29dc1224809e1864U, 0xea0c90b292d3de25U,
    0xd2870541f27f427fU, 0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x7e5c60f8f60cc9bbU, 0xe72897fc08aeb0b1U,
    0x7cfaa208246aa943U, 0x60882946764b0e29U, 0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x63436ab4e68175e5U,
    0xf4918553a1a2d7f2U, 0x494f4a77280285f6U, 0x1d9ce369f6ba7ff1U, 0x40e2504aa67c2301U, 0xeafc787127b76d25U,
    0xd80ac658736bb725U, 0xe6b670062724342cU, 0xb3f4e1bd20710449U, 0xe4f24a8cf71dd99fU, 0x682d89741280bbd3U,
    0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x3cdef9a8394a61a2U, 0x245dff01711f7550U, 0xa14ff1dd38f24006U,
    0x28fd38bc083cc079U, 0xeafc787127b76d25U, 0xd80ac658736bb725U, 0x8fd6dfc01c792810U, 0xccd3e32064a408f8U,
    0x90a242516cadd24eU, 0x78312d3ca810d580U, 0xeafc787127b76d25U, 0xd80ac658736bb725U, 0xd7af419c737f7f28U,
    0xaaecadae4891e66cU, 0x7606d4f1ce5aa6abU, 0x8818566ad19e3391U, 0xeafc787127b76d25U, 0xd80ac658736bb725U,
    0xc5a4792364239fb2U, 0xb149869ea4d96ea5U, 0x62643f22ebca2a16U,
};

static const uint32_t torch_model_after[9] = {
    0x64cb609cU, 0x5ec0d8c0U, 0x1d22c151U, 0x378ba773U, 0x2d7536f5U, 0x0651798aU, 0x1659a7b9U, 0x0bd6ab38U,
    0x0ba94cb9U,
};

// PyTorch: weight and bias of nn.Linear(fan_in, 16) after manual_seed(3): the first 16 values of the
// weight as bits, FNV-1a of the weight and of the bias, for each fan_in.
static const uint32_t torch_uniform_fans[8] = {
    0x00000001U, 0x00000003U, 0x0000000cU, 0x00000020U, 0x00000030U, 0x00000064U, 0x00000080U, 0x000003e8U,
};

static const uint32_t torch_uniform_bits[128] = {
    0xbf7dd12cU, 0xbf49f2d0U, 0xbedb4c1cU, 0xbf7232faU, 0xbd688900U, 0xbf613870U, 0x3f0b3200U, 0x3ef98c54U,
    0x3e415fe8U, 0x3f469526U, 0xbdc89360U, 0x3f1956d6U, 0xbf33480eU, 0xbe49cab8U, 0xbf6442ecU, 0xbda646b0U,
    0xbf128a96U, 0xbee930a5U, 0xbe7d3903U, 0xbf0bd56fU, 0xbd064115U, 0xbf0207f6U, 0x3ea0ba99U, 0x3e9013a2U,
    0x3ddf4a30U, 0x3ee54daeU, 0xbd679ad7U, 0x3eb10f94U, 0xbecf0433U, 0xbde90259U, 0xbf03c96bU, 0xbd3fffc7U,
    0xbe928a96U, 0xbe6930a5U, 0xbdfd3903U, 0xbe8bd56fU, 0xbc864115U, 0xbe8207f6U, 0x3e20ba99U, 0x3e1013a2U,
    0x3d5f4a30U, 0x3e654daeU, 0xbce79ad7U, 0x3e310f94U, 0xbe4f0433U, 0xbd690259U, 0xbe83c96bU, 0xbcbfffc7U,
    0xbe3379ccU, 0xbe0ecc95U, 0xbd9b110dU, 0xbe2b42b9U, 0xbc246d5cU, 0xbe1f4142U, 0x3dc4da16U, 0x3db0750aU,
    0x3d08bc8cU, 0x3e0c6b4bU, 0xbc8dd414U, 0x3dd8dab8U, 0xbdfd8ad2U, 0xbd0eb03bU, 0xbe2167bbU, 0xbc6b2663U,
    0xbe128a96U, 0xbde930a5U, 0xbd7d3903U, 0xbe0bd56fU, 0xbc064115U, 0xbe0207f6U, 0x3da0ba99U, 0x3d9013a2U,
    0x3cdf4a30U, 0x3de54daeU, 0xbc679ad7U, 0x3db10f94U, 0xbdcf0433U, 0xbce90259U, 0xbe03c96bU, 0xbc3fffc7U,
    0xbdcb0dbdU, 0xbda18f0dU, 0xbd2f7017U, 0xbdc1c262U, 0xbbba0733U, 0xbdb42d27U, 0x3d5eb667U, 0x3d47a377U,
    0x3c9ab320U, 0x3d9eddb8U, 0xbc2075e7U, 0x3d7557bdU, 0xbd8f6cd8U, 0xbca16efaU, 0xbdb69bf0U, 0xbc05055aU,
    0xbdb379ccU, 0xbd8ecc95U, 0xbd1b110dU, 0xbdab42b9U, 0xbba46d5cU, 0xbd9f4142U, 0x3d44da16U, 0x3d30750aU,
    0x3c88bc8cU, 0x3d8c6b4bU, 0xbc0dd414U, 0x3d58dab8U, 0xbd7d8ad2U, 0xbc8eb03bU, 0xbda167bbU, 0xbbeb2663U,
    0xbd006c23U, 0xbccc5b84U, 0xbc5de9cbU, 0xbcf51699U, 0xbaeb4f1cU, 0xbce3e836U, 0x3c8cdb12U, 0x3c7c8664U,
    0x3bc3ae6eU, 0x3cc8f393U, 0xbb4af7e3U, 0x3c9b2b19U, 0xbcb56b8aU, 0xbbcc32f2U, 0xbce6fbfbU, 0xbb284275U,
};

static const uint64_t torch_uniform_fnv[16] = {
    0xcf8356e92be69b1eU, 0x3b5dc9a362ed437eU, 0x9e8f50d11ad08ed2U, 0xcb2a4852640ee556U, 0x04c011541592d1abU,
    0xd5ac8489c2de0533U, 0xcd9a567e94804ce6U, 0x298eaa0e88716891U, 0x361caf911fc9b300U, 0x1a0aa4b49ef519d7U,
    0x0a9b015c412003ecU, 0x88a93d72c6f1182eU, 0x7d630ab6b1ac7abcU, 0x2288b72abfa479e2U, 0x596d5585afecb4a6U,
    0x4709818e81de2addU,
};

// PyTorch: normal_(0, 1): seed, n; then the values as bits, row after row; two words (31 bits) after each.
// The last four seeds draw a word that makes u1 = 1, so the radius is 0: 1 in 2^24 does.
static const uint32_t torch_normal_rows[18] = {
    0x00000005U, 0x00000010U, 0x00000005U, 0x00000011U, 0x00000005U, 0x0000001fU, 0x00000005U, 0x00000020U,
    0x00000005U, 0x00000064U, 0x001ac067U, 0x00000010U, 0x002cc89bU, 0x00000010U, 0x002f7354U, 0x00000010U,
    0x00545b49U, 0x00000010U,
};

static const uint32_t torch_normal_bits[260] = {
    0x3febd177U, 0x3f04d5caU, 0xbfdb203dU, 0xbfd9c6ccU, 0x40013e2bU, 0xbe8987d5U, 0xbe05dacfU, 0xbfb7fd2dU,
    0x3ec812c6U, 0xbc9b6247U, 0xbfad24dcU, 0xbf3b16e0U, 0x3f7ce879U, 0xbed6bca3U, 0xbf15bbbcU, 0xbf48471dU,
    0x3febd177U, 0x3f9c6b53U, 0xbeac4317U, 0xbf770e2fU, 0xbe04c64bU, 0xbf1a0d50U, 0x3e147a81U, 0xbe196c4bU,
    0x4027553bU, 0x3f477bddU, 0xbd6ef55cU, 0xc001f3a2U, 0x3fbdd0baU, 0x3efcf28fU, 0x3e7f3335U, 0x3fdf9ebaU,
    0x3f3ea9b4U, 0x3febd177U, 0x3f04d5caU, 0xbfdb203dU, 0xbfd9c6ccU, 0x40013e2bU, 0xbe8987d5U, 0xbe05dacfU,
    0xbfb7fd2dU, 0x3ec812c6U, 0xbc9b6247U, 0xbfad24dcU, 0xbf3b16e0U, 0x3f7ce879U, 0xbed6bca3U, 0xbf15bbbcU,
    0x3f47958eU, 0xbe85f965U, 0xbf3b7dd3U, 0x3fd95997U, 0xbe377730U, 0x3ff626d4U, 0x3e936e28U, 0x3f6fd1e5U,
    0xbd8493e0U, 0xbe17716bU, 0x3f658e67U, 0x3f0c5293U, 0xbfd1cea4U, 0xbfe85bebU, 0xbe539672U, 0xbf06a4bdU,
    0x3febd177U, 0x3f04d5caU, 0xbfdb203dU, 0xbfd9c6ccU, 0x40013e2bU, 0xbe8987d5U, 0xbe05dacfU, 0xbfb7fd2dU,
    0x3ec812c6U, 0xbc9b6247U, 0xbfad24dcU, 0xbf3b16e0U, 0x3f7ce879U, 0xbed6bca3U, 0xbf15bbbcU, 0xbf48471dU,
    0x4031e947U, 0x3f9c6b53U, 0xbeac4317U, 0xbf770e2fU, 0xbe04c64bU, 0xbf1a0d50U, 0x3e147a81U, 0xbe196c4bU,
    0xbedff2afU, 0x3f477bddU, 0xbd6ef55cU, 0xc001f3a2U, 0x3fbdd0baU, 0x3efcf28fU, 0x3e7f3335U, 0x3fdf9ebaU,
    0x3febd177U, 0x3f04d5caU, 0xbfdb203dU, 0xbfd9c6ccU, 0x40013e2bU, 0xbe8987d5U, 0xbe05dacfU, 0xbfb7fd2dU,
    0x3ec812c6U, 0xbc9b6247U, 0xbfad24dcU, 0xbf3b16e0U, 0x3f7ce879U, 0xbed6bca3U, 0xbf15bbbcU, 0xbf48471dU,
    0x4031e947U, 0x3f9c6b53U, 0xbeac4317U, 0xbf770e2fU, 0xbe04c64bU, 0xbf1a0d50U, 0x3e147a81U, 0xbe196c4bU,
    0xbedff2afU, 0x3f477bddU, 0xbd6ef55cU, 0xc001f3a2U, 0x3fbdd0baU, 0x3efcf28fU, 0x3e7f3335U, 0x3fdf9ebaU,
    0xbe85f965U, 0xbf3b7dd3U, 0x3fd95997U, 0xbe377730U, 0x3ff626d4U, 0x3e936e28U, 0x3f6fd1e5U, 0xc019ccf7U,
    0xbe17716bU, 0x3f658e67U, 0x3f0c5293U, 0xbfd1cea4U, 0xbfe85bebU, 0xbe539672U, 0xbf06a4bdU, 0xbfd94f50U,
    0x3f511947U, 0x3ed1bc95U, 0x3e5d6ca3U, 0x3f8b7edaU, 0x3e312e07U, 0x3e2ac4ffU, 0xbf919132U, 0xbf522225U,
    0xbfe5780cU, 0x3f608f68U, 0x400a80ffU, 0xbe3dfc8bU, 0x3f7d9adcU, 0x3f3e1a56U, 0x3fa295a8U, 0x3fa94ee3U,
    0xbf04a322U, 0x3fc81960U, 0x3f9e2d52U, 0x3fbf83edU, 0x3ef23d0fU, 0x3f1b6586U, 0xbf60bfc3U, 0xbf3e1a82U,
    0x3e90fa7dU, 0xbfbfc2b2U, 0xbe9e465dU, 0xbf1aa638U, 0xbffbcea2U, 0xbe0c09a9U, 0x3fef676fU, 0x3e1a1c58U,
    0xbf50ce23U, 0xbec48a45U, 0x3ecddaf5U, 0xbfb7870eU, 0xbf640e19U, 0xbe84fc73U, 0xbe6d95f6U, 0x3ee3cc7dU,
    0x3f8b9454U, 0xbf4e0719U, 0xbd833fe0U, 0x3f541bd2U, 0xbe3af97dU, 0x3e076eacU, 0x3f00d79fU, 0xbe63fa86U,
    0x3e0113b3U, 0x3d773085U, 0xbf1154edU, 0xbf8c4888U, 0xbe1ee4baU, 0x3e84e39fU, 0xbf0d8a9fU, 0xbf4577c5U,
    0x3f0f059fU, 0xbefbcab2U, 0x00000000U, 0xbfd6fd6cU, 0xbe76f692U, 0x3fa35309U, 0x3f00a662U, 0x3fb67637U,
    0xbdd7a4d8U, 0x3f94ed7bU, 0x00000000U, 0x3f9523b2U, 0x3f337a7cU, 0x3e33aa75U, 0x3f14075cU, 0x3fcd123cU,
    0x3f84b740U, 0x00000000U, 0x3d07fb46U, 0xbfa66d84U, 0x3eb4361bU, 0xbeca5376U, 0x3e9b2edcU, 0x3fe57527U,
    0x3eca0e84U, 0x00000000U, 0xbfc12032U, 0xbf3fd37aU, 0xc00ee204U, 0x3f69319fU, 0x3e0cfb3fU, 0x3e922121U,
    0x3eef233bU, 0xbfc37977U, 0x00000000U, 0x3fc0ef8dU, 0x3f24e725U, 0xbf121455U, 0xbe8518c3U, 0xbfaf7e2eU,
    0x3d9135a6U, 0x3e8cc08dU, 0x00000000U, 0xc006ecb2U, 0x00000000U, 0x3f3f3832U, 0x3f8c7b38U, 0xbf143e88U,
    0xbf8e42c0U, 0x3fc37756U, 0xbf1ededeU, 0xbf5083cdU, 0x00000000U, 0xbf0415b5U, 0xbdc88389U, 0xbec8a35bU,
    0xbe95ccbaU, 0x3f970b45U, 0x3f77a3fdU, 0xbf022b66U,
};

static const uint32_t torch_normal_after[18] = {
    0x4bfb1e07U, 0x7da670ccU, 0x1e7d0892U, 0x4bcbe4feU, 0x53990f3aU, 0x53db3b00U, 0x6a0b4e7dU, 0x1e7d0892U,
    0x5110a487U, 0x716bf4d6U, 0x68b7443bU, 0x6dab9dc5U, 0x2764dcd2U, 0x350ab1a5U, 0x5623b506U, 0x7684e72cU,
    0x7371802dU, 0x545ae05eU,
};

// PyTorch: FNV-1a of 100,000 normals after manual_seed(6).
static const uint64_t torch_normal_fnv[1] = {
    0x3fef9e434de6df05U,
};

