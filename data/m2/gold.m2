S She go to school by the bus every days .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 5 6|||U:DET||||||REQUIRED|||-NONE-|||0
A 8 9|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||0
A 1 5|||R:OTHER|||takes|||REQUIRED|||-NONE-|||1
A 7 7|||M:OTHER|||to school|||REQUIRED|||-NONE-|||1
A 8 9|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||1

S I am agree with you about the new timetable .
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S Yesterday we visit the museum of modern art and see many interesting painting .
A 2 3|||R:VERB:TENSE|||visited|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:TENSE|||saw|||REQUIRED|||-NONE-|||0
A 12 13|||R:NOUN:NUM|||paintings|||REQUIRED|||-NONE-|||0
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 2 3|||R:VERB:TENSE|||visited|||REQUIRED|||-NONE-|||1
A 4 6|||U:OTHER||||||REQUIRED|||-NONE-|||1
A 8 8|||M:NOUN|||museum|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:TENSE|||saw|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:NUM|||paintings|||REQUIRED|||-NONE-|||1

S My brother works in a small bakery near the station .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The informations in this article is very usefull for my research .
A 1 2|||R:NOUN:INFL|||information|||REQUIRED|||-NONE-|||0
A 7 8|||R:SPELL|||useful|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:INFL|||information|||REQUIRED|||-NONE-|||1
A 7 8|||R:SPELL|||useful|||REQUIRED|||-NONE-|||1

S He enjoys to play chess with his grandfather in the evening .
A 2 4|||R:VERB:FORM|||playing|||REQUIRED|||-NONE-|||0
A 2 4|||R:VERB:FORM|||playing|||REQUIRED|||-NONE-|||1

S Sit down please !
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 0 3|||R:WO|||Please sit down|||REQUIRED|||-NONE-|||1

S Despite of the heavy rain , the football match was not cancel .
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:FORM|||cancelled|||REQUIRED|||-NONE-|||0
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:FORM|||cancelled|||REQUIRED|||-NONE-|||1

S If I will have enough money next year , I will travel to São Paulo with my cousin Zoë .
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S There is many reason why peoples prefer to live in the countryside .
A 1 2|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||reasons|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:NUM|||people|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||1
A 3 4|||R:NOUN:NUM|||reasons|||REQUIRED|||-NONE-|||1
A 5 6|||R:NOUN:NUM|||people|||REQUIRED|||-NONE-|||1
A 7 9|||R:VERB:FORM|||living|||REQUIRED|||-NONE-|||1

S I have been living in Lisbon since five years .
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 2 4|||R:VERB:TENSE|||lived|||REQUIRED|||-NONE-|||1
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||1

S The childrens was playing in garden when it start to snow .
A 1 2|||R:SPELL|||children|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:TENSE|||started|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||children|||REQUIRED|||-NONE-|||1
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:TENSE|||started|||REQUIRED|||-NONE-|||1

S The train leaves at half past seven , so we should get up early .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Can you explain me how does this machine works ?
A 3 3|||M:PREP|||to|||REQUIRED|||-NONE-|||0
A 5 6|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 0 1|||R:VERB:TENSE|||Could|||REQUIRED|||-NONE-|||1
A 3 3|||M:PREP|||to|||REQUIRED|||-NONE-|||1
A 5 6|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S My favourite hobby is take photos of birds , specially in winter .
A 4 5|||R:VERB:FORM|||taking|||REQUIRED|||-NONE-|||0
A 9 10|||R:ADV|||especially|||REQUIRED|||-NONE-|||0
A 4 7|||R:OTHER|||photographing|||REQUIRED|||-NONE-|||1
A 9 10|||R:ADV|||especially|||REQUIRED|||-NONE-|||1

S In my opinion , goverment should to spend more money for public transports instead of build new roads .
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 4 5|||R:SPELL|||government|||REQUIRED|||-NONE-|||0
A 6 7|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 10 11|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 12 13|||R:NOUN:NUM|||transport|||REQUIRED|||-NONE-|||0
A 15 16|||R:VERB:FORM|||building|||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 4 5|||R:SPELL|||government|||REQUIRED|||-NONE-|||1
A 6 7|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 10 11|||R:PREP|||on|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:NUM|||transport|||REQUIRED|||-NONE-|||1
A 15 16|||R:VERB:FORM|||building|||REQUIRED|||-NONE-|||1

S We discussed about the results with our supervisor last friday .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 10|||R:ORTH|||Friday|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||1
A 9 10|||R:ORTH|||Friday|||REQUIRED|||-NONE-|||1

S This experiment show that the temperature effects the speed of reaction .
A 2 3|||R:VERB:SVA|||shows|||REQUIRED|||-NONE-|||0
A 6 7|||R:SPELL|||affects|||REQUIRED|||-NONE-|||0
A 10 10|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||shows|||REQUIRED|||-NONE-|||1
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||1
A 6 7|||R:SPELL|||affects|||REQUIRED|||-NONE-|||1
A 10 10|||M:DET|||the|||REQUIRED|||-NONE-|||1

S Very thanks .
A 0 1|||R:OTHER|||Many|||REQUIRED|||-NONE-|||0
A 0 1|||M:OTHER|||Thank you very|||REQUIRED|||-NONE-|||1
A 1 2|||R:OTHER|||much|||REQUIRED|||-NONE-|||1

S I forgot my umbrella in the café , so I must to go back yesterday .
A 1 2|||R:VERB|||left|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB|||had|||REQUIRED|||-NONE-|||0
A 0 0|||M:NOUN|||Yesterday|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB|||left|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB|||had|||REQUIRED|||-NONE-|||1
A 14 15|||U:NOUN||||||REQUIRED|||-NONE-|||1

S Although the hotel was expensive , the rooms were dark and noisy .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Everyone in my class have they own laptop .
A 4 5|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 5 6|||R:DET|||their|||REQUIRED|||-NONE-|||0
A 0 1|||R:OTHER|||All the students|||REQUIRED|||-NONE-|||1
A 5 6|||R:DET|||their|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:NUM|||laptops|||REQUIRED|||-NONE-|||1

S I look forward to hear about your new job in the museum .
A 4 5|||R:VERB:FORM|||hearing|||REQUIRED|||-NONE-|||0
A 9 10|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||hearing|||REQUIRED|||-NONE-|||1
A 9 10|||R:PREP|||at|||REQUIRED|||-NONE-|||1

S The film was so bored that we left before it finish .
A 4 5|||R:MORPH|||boring|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:TENSE|||finished|||REQUIRED|||-NONE-|||0
A 4 5|||R:MORPH|||boring|||REQUIRED|||-NONE-|||1
A 9 10|||R:OTHER|||the|||REQUIRED|||-NONE-|||1
A 10 11|||R:OTHER|||end|||REQUIRED|||-NONE-|||1

S She asked me where do I come from and what is my job .
A 4 5|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||0
A 10 11|||U:VERB||||||REQUIRED|||-NONE-|||0
A 13 13|||M:VERB|||was|||REQUIRED|||-NONE-|||0
A 4 5|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB|||was|||REQUIRED|||-NONE-|||1
A 10 13|||R:OTHER|||I did for a living|||REQUIRED|||-NONE-|||1

S He drived very fastly on the motorway although the road was wet .
A 1 2|||R:VERB:INFL|||drove|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||fast|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:INFL|||drove|||REQUIRED|||-NONE-|||1
A 3 4|||R:SPELL|||fast|||REQUIRED|||-NONE-|||1

S I did n't knew that tomatos are fruits .
A 3 4|||R:VERB|||know|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:INFL|||tomatoes|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB|||know|||REQUIRED|||-NONE-|||1
A 5 6|||R:NOUN:INFL|||tomatoes|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:TENSE|||were|||REQUIRED|||-NONE-|||1

S Could you tell me where the nearest pharmacy is ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The ticket costed only € 15 , but I loosed it before the concert .
A 2 3|||R:MORPH|||cost|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB|||lost|||REQUIRED|||-NONE-|||0
A 2 3|||R:MORPH|||cost|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB|||lost|||REQUIRED|||-NONE-|||1

S My sister is more taller than me and she can runs faster too .
A 3 4|||U:ADV||||||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:FORM|||run|||REQUIRED|||-NONE-|||0
A 3 4|||U:ADV||||||REQUIRED|||-NONE-|||1
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 10 10|||M:ADV|||also|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:FORM|||run|||REQUIRED|||-NONE-|||1
A 12 13|||U:ADV||||||REQUIRED|||-NONE-|||1

S It 's raining heavily , we should stay at home .
A 5 5|||M:ADV|||so|||REQUIRED|||-NONE-|||0
A 4 5|||R:PUNCT|||;|||REQUIRED|||-NONE-|||1

S Nowadays , the most of young people can not imagine their life without the internet .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||0
A 11 12|||R:NOUN:NUM|||lives|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||1
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||1
A 11 12|||R:NOUN:NUM|||lives|||REQUIRED|||-NONE-|||1

S I am living in a flat with two friend who studies medecine .
A 8 9|||R:NOUN:NUM|||friends|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||study|||REQUIRED|||-NONE-|||0
A 11 12|||R:SPELL|||medicine|||REQUIRED|||-NONE-|||0
A 1 3|||R:VERB|||share|||REQUIRED|||-NONE-|||1
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||1
A 8 9|||R:NOUN:NUM|||friends|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||study|||REQUIRED|||-NONE-|||1
A 11 12|||R:SPELL|||medicine|||REQUIRED|||-NONE-|||1

S The book what you gave me is very interesting , I read it already two times .
A 2 3|||R:PRON|||that|||REQUIRED|||-NONE-|||0
A 9 10|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 11 11|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 11 14|||R:WO|||already read it|||REQUIRED|||-NONE-|||0
A 14 16|||R:OTHER|||twice|||REQUIRED|||-NONE-|||0
A 2 3|||U:PRON||||||REQUIRED|||-NONE-|||1
A 9 10|||R:PUNCT|||.|||REQUIRED|||-NONE-|||1
A 11 11|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||1
A 11 14|||R:WO|||already read it|||REQUIRED|||-NONE-|||1
A 14 16|||R:OTHER|||twice|||REQUIRED|||-NONE-|||1

S Nobody did n't answer when I knocked on the door .
A 1 4|||R:OTHER|||answered|||REQUIRED|||-NONE-|||0
A 1 4|||R:OTHER|||answered|||REQUIRED|||-NONE-|||1

S Scientists have found water under the surface of the planet .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Since I was a child I always wanted become a doctor .
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 8 8|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0
A 0 1|||U:PREP||||||REQUIRED|||-NONE-|||1
A 2 3|||R:VERB|||have wanted to become|||REQUIRED|||-NONE-|||1
A 4 5|||R:OTHER|||doctor ever since|||REQUIRED|||-NONE-|||1
A 6 7|||U:ADV||||||REQUIRED|||-NONE-|||1
A 7 9|||R:VERB|||was|||REQUIRED|||-NONE-|||1
A 10 11|||R:NOUN|||child|||REQUIRED|||-NONE-|||1

S In last decade , the number of elderly people have increased dramatic in many country , and this trend put a lot of pressures on hospitals , which needs more nurses and doctors than they had ten years before .
A 1 1|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 11 12|||R:MORPH|||dramatically|||REQUIRED|||-NONE-|||0
A 14 15|||R:NOUN:NUM|||countries|||REQUIRED|||-NONE-|||0
A 19 20|||R:VERB:TENSE|||puts|||REQUIRED|||-NONE-|||0
A 23 24|||R:NOUN:NUM|||pressure|||REQUIRED|||-NONE-|||0
A 28 29|||R:VERB:SVA|||need|||REQUIRED|||-NONE-|||0
A 38 39|||R:ADV|||ago|||REQUIRED|||-NONE-|||0
A 0 1|||R:PREP|||Over|||REQUIRED|||-NONE-|||1
A 1 1|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1
A 11 12|||R:MORPH|||dramatically|||REQUIRED|||-NONE-|||1
A 14 15|||R:NOUN:NUM|||countries|||REQUIRED|||-NONE-|||1
A 19 20|||R:VERB:TENSE|||is putting|||REQUIRED|||-NONE-|||1
A 23 24|||R:NOUN:NUM|||pressure|||REQUIRED|||-NONE-|||1
A 28 29|||R:VERB:SVA|||need|||REQUIRED|||-NONE-|||1
A 35 36|||R:VERB|||did|||REQUIRED|||-NONE-|||1
A 38 39|||R:ADV|||ago|||REQUIRED|||-NONE-|||1

S He suggested me to apply for the scholarship .
A 2 2|||M:PREP|||that|||REQUIRED|||-NONE-|||0
A 2 3|||R:PRON|||I|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 2 2|||M:PREP|||that|||REQUIRED|||-NONE-|||1
A 2 3|||R:PRON|||I|||REQUIRED|||-NONE-|||1
A 3 4|||R:VERB:TENSE|||should|||REQUIRED|||-NONE-|||1

S We was very tired after walk all day in the mountains .
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:FORM|||walking|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:FORM|||walking|||REQUIRED|||-NONE-|||1

S She made a big mistake in her exam because she has not read the question careful .
A 10 11|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||0
A 15 16|||R:MORPH|||carefully|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:TENSE|||did|||REQUIRED|||-NONE-|||1
A 15 16|||R:MORPH|||carefully|||REQUIRED|||-NONE-|||1

S The police is looking for a man which stole three bicycle from our street .
A 2 3|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 7 8|||R:PRON|||who|||REQUIRED|||-NONE-|||0
A 10 11|||R:NOUN:NUM|||bicycles|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||1
A 7 8|||R:PRON|||who|||REQUIRED|||-NONE-|||1
A 10 11|||R:NOUN:NUM|||bicycles|||REQUIRED|||-NONE-|||1

S Please let me to know if you need some help with your luggages .
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 12 13|||R:NOUN:INFL|||luggage|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:INFL|||luggage|||REQUIRED|||-NONE-|||1

S I think that learning a foreign language is a long process but worth .
A 11 11|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 13 13|||M:PRON|||it|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||1
A 11 11|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 12 12|||M:OTHER|||it is|||REQUIRED|||-NONE-|||1
A 13 13|||M:PRON|||it|||REQUIRED|||-NONE-|||1

S Our teacher speaks slowly and clearly .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S When he will arrive , we will start the meating .
A 2 4|||R:VERB:TENSE|||arrives|||REQUIRED|||-NONE-|||0
A 9 10|||R:SPELL|||meeting|||REQUIRED|||-NONE-|||0
A 0 6|||U:OTHER|||We|||REQUIRED|||-NONE-|||1
A 9 10|||R:SPELL|||meeting|||REQUIRED|||-NONE-|||1
A 10 10|||M:OTHER|||when he arrives|||REQUIRED|||-NONE-|||1

S These kind of problem happens often in the big citys .
A 1 2|||R:NOUN:NUM|||kinds|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||problems|||REQUIRED|||-NONE-|||0
A 4 5|||U:VERB||||||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB|||happen|||REQUIRED|||-NONE-|||0
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 10|||R:NOUN:INFL|||cities|||REQUIRED|||-NONE-|||0
A 0 1|||R:DET|||This|||REQUIRED|||-NONE-|||1
A 4 6|||R:WO|||often happens|||REQUIRED|||-NONE-|||1
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||1
A 9 10|||R:NOUN:INFL|||cities|||REQUIRED|||-NONE-|||1

S i live in berlin , germany , with my parents and my too cats .
A 0 1|||R:ORTH|||I|||REQUIRED|||-NONE-|||0
A 3 4|||R:ORTH|||Berlin|||REQUIRED|||-NONE-|||0
A 5 6|||R:ORTH|||Germany|||REQUIRED|||-NONE-|||0
A 12 13|||R:SPELL|||two|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||I|||REQUIRED|||-NONE-|||1
A 3 4|||R:ORTH|||Berlin|||REQUIRED|||-NONE-|||1
A 5 6|||R:ORTH|||Germany|||REQUIRED|||-NONE-|||1
A 12 13|||R:SPELL|||two|||REQUIRED|||-NONE-|||1

S The company has fired hundred of workers for save money .
A 4 5|||R:MORPH|||hundreds|||REQUIRED|||-NONE-|||0
A 7 8|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB|||laid off|||REQUIRED|||-NONE-|||1
A 4 5|||R:MORPH|||hundreds|||REQUIRED|||-NONE-|||1
A 7 8|||R:PART|||to|||REQUIRED|||-NONE-|||1

S He said me that he would call back , but he never did it .
A 1 2|||R:VERB|||told|||REQUIRED|||-NONE-|||0
A 13 14|||U:PRON||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||told|||REQUIRED|||-NONE-|||1
A 13 14|||U:PRON||||||REQUIRED|||-NONE-|||1

S There was n't nothing interesting on television tonight .
A 3 4|||R:NOUN|||anything|||REQUIRED|||-NONE-|||0
A 2 3|||U:CONTR||||||REQUIRED|||-NONE-|||1

S Zoë was late because her bus broke down on the bridge .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Most of scientists believe that the climate changes because of human activities such burning of coal .
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:TENSE|||is changing|||REQUIRED|||-NONE-|||0
A 13 13|||M:OTHER|||as the|||REQUIRED|||-NONE-|||0
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB:TENSE|||is changing|||REQUIRED|||-NONE-|||1
A 13 13|||M:OTHER|||as the|||REQUIRED|||-NONE-|||1

S I have never saw such beautiful beach in my life .
A 3 4|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||0
A 5 5|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||1
A 5 5|||M:DET|||a|||REQUIRED|||-NONE-|||1

S The students which fails the test must repeats the course .
A 2 3|||R:PRON|||who|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:SVA|||fail|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:FORM|||repeat|||REQUIRED|||-NONE-|||0
A 2 3|||R:PRON|||who|||REQUIRED|||-NONE-|||1
A 3 4|||R:VERB:SVA|||fail|||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB:FORM|||repeat|||REQUIRED|||-NONE-|||1

S I am used to get up early becuase my work begin at six o'clock .
A 4 5|||R:VERB:FORM|||getting|||REQUIRED|||-NONE-|||0
A 7 8|||R:SPELL|||because|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||begins|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||getting|||REQUIRED|||-NONE-|||1
A 7 8|||R:SPELL|||because|||REQUIRED|||-NONE-|||1
A 8 9|||R:OTHER|||I start|||REQUIRED|||-NONE-|||1
A 10 11|||U:VERB||||||REQUIRED|||-NONE-|||1

S It depends of the weather if we go to the beach or no .
A 2 3|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 5 6|||R:PREP|||whether|||REQUIRED|||-NONE-|||0
A 12 13|||R:OTHER|||not|||REQUIRED|||-NONE-|||0
A 0 2|||R:OTHER|||Whether|||REQUIRED|||-NONE-|||1
A 2 3|||R:SPELL|||or|||REQUIRED|||-NONE-|||1
A 3 6|||R:OTHER|||not|||REQUIRED|||-NONE-|||1
A 11 13|||R:OTHER|||depends on the weather|||REQUIRED|||-NONE-|||1

S My grandmother , who is eighty year old , still swim every morning .
A 6 7|||R:NOUN:NUM|||years|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||swims|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||years|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||swims|||REQUIRED|||-NONE-|||1

S I bought a new shoes yesterday but they are too small to me .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 6|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 11 12|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 4 4|||M:OTHER|||pair of|||REQUIRED|||-NONE-|||1
A 6 6|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 11 12|||R:PREP|||for|||REQUIRED|||-NONE-|||1

S Regular exercise reduces stress and helps us sleep better .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 7 7|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||1

S The teacher gave to us too many homeworks for weekend .
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 7|||R:ADJ|||much|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:INFL|||homework|||REQUIRED|||-NONE-|||0
A 9 9|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||1
A 6 7|||R:ADJ|||much|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:INFL|||homework|||REQUIRED|||-NONE-|||1
A 9 9|||M:DET|||the|||REQUIRED|||-NONE-|||1

S As long as I know , the library is close on sundays .
A 1 2|||R:ADV|||far|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:FORM|||closed|||REQUIRED|||-NONE-|||0
A 11 12|||R:ORTH|||Sundays|||REQUIRED|||-NONE-|||0
A 1 2|||R:ADV|||far|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:FORM|||closed|||REQUIRED|||-NONE-|||1
A 11 12|||R:ORTH|||Sundays|||REQUIRED|||-NONE-|||1

S He has a lot of experience , however he is not good in working with other people .
A 6 6|||M:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 6 8|||R:WO|||however ,|||REQUIRED|||-NONE-|||0
A 12 13|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 7 8|||R:OTHER|||but|||REQUIRED|||-NONE-|||1
A 12 13|||R:PREP|||at|||REQUIRED|||-NONE-|||1

S What a pity that you ca n't to come to our party !
A 7 8|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 7 8|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1

S The doctor advised him to stop smoke and make more sport .
A 6 7|||R:VERB:FORM|||smoking|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB|||do|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:FORM|||smoking|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB|||get|||REQUIRED|||-NONE-|||1
A 10 11|||R:NOUN|||exercise|||REQUIRED|||-NONE-|||1

S I would like to know how much costs the course and when does it starts .
A 7 10|||R:WO|||the course costs|||REQUIRED|||-NONE-|||0
A 12 13|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 7 10|||R:WO|||the course costs|||REQUIRED|||-NONE-|||1
A 12 13|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S During I was waiting for the bus , I met an old friend of mine .
A 0 1|||R:PREP|||While|||REQUIRED|||-NONE-|||0
A 0 1|||R:PREP|||While|||REQUIRED|||-NONE-|||1
A 9 10|||R:OTHER|||ran into|||REQUIRED|||-NONE-|||1
A 13 15|||U:OTHER||||||REQUIRED|||-NONE-|||1

S Being honest is sometimes difficult , but it is always right .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The weather in my country is too much hot in the summer , so peoples stay inside of their house at noon .
A 7 8|||U:ADV||||||REQUIRED|||-NONE-|||0
A 14 15|||R:NOUN:NUM|||people|||REQUIRED|||-NONE-|||0
A 17 18|||U:PREP||||||REQUIRED|||-NONE-|||0
A 19 20|||R:NOUN:NUM|||houses|||REQUIRED|||-NONE-|||0
A 6 8|||R:ADV|||very|||REQUIRED|||-NONE-|||1
A 10 11|||U:DET||||||REQUIRED|||-NONE-|||1
A 14 15|||R:NOUN:NUM|||people|||REQUIRED|||-NONE-|||1
A 16 20|||R:OTHER|||indoors|||REQUIRED|||-NONE-|||1

S I want that you help me with this exercise .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 4 4|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||would like|||REQUIRED|||-NONE-|||1
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||1
A 4 4|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||1

S Last summer I have worked as waiter in an Italian restaurant near of the harbour .
A 3 4|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 6 6|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 12 13|||U:PREP||||||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 6 6|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 12 13|||U:PREP||||||REQUIRED|||-NONE-|||1

S Thanks to it ’s low price , the phone sells very good .
A 2 3|||R:DET|||its|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB||||||REQUIRED|||-NONE-|||0
A 11 12|||R:ADV|||well|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||its|||REQUIRED|||-NONE-|||1
A 3 4|||U:VERB||||||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:TENSE|||is selling|||REQUIRED|||-NONE-|||1
A 11 12|||R:ADV|||well|||REQUIRED|||-NONE-|||1

S She is one of the best student in our university and she speak four language fluent .
A 6 7|||R:NOUN:NUM|||students|||REQUIRED|||-NONE-|||0
A 7 8|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 10 10|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 12 13|||R:VERB:SVA|||speaks|||REQUIRED|||-NONE-|||0
A 14 15|||R:NOUN:NUM|||languages|||REQUIRED|||-NONE-|||0
A 15 16|||R:MORPH|||fluently|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||students|||REQUIRED|||-NONE-|||1
A 7 8|||R:PREP|||at|||REQUIRED|||-NONE-|||1
A 10 10|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 12 13|||R:VERB:SVA|||speaks|||REQUIRED|||-NONE-|||1
A 14 15|||R:NOUN:NUM|||languages|||REQUIRED|||-NONE-|||1
A 15 16|||R:MORPH|||fluently|||REQUIRED|||-NONE-|||1

S Neither my father or my mother speak English .
A 3 4|||R:CONJ|||nor|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:SVA|||speaks|||REQUIRED|||-NONE-|||0
A 3 4|||R:CONJ|||nor|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:SVA|||speaks|||REQUIRED|||-NONE-|||1

S If I was you , I would accepted the job offer .
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:FORM|||accept|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB:FORM|||accept|||REQUIRED|||-NONE-|||1

S Is very important that we protect the natural environment for the next generation .
A 0 1|||M:PRON|||It is|||REQUIRED|||-NONE-|||0
A 0 1|||M:PRON|||It is|||REQUIRED|||-NONE-|||1
A 3 4|||R:PART|||to|||REQUIRED|||-NONE-|||1
A 4 5|||U:PRON||||||REQUIRED|||-NONE-|||1
A 10 12|||R:OTHER|||future|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:NUM|||generations|||REQUIRED|||-NONE-|||1

S Nobody knows exactly how the fire started .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I usually eat a breakfast at seven , then I go to my work by foot .
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 8 8|||M:CONJ|||and|||REQUIRED|||-NONE-|||0
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||0
A 14 15|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||have|||REQUIRED|||-NONE-|||1
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||1
A 8 8|||M:CONJ|||and|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB|||walk|||REQUIRED|||-NONE-|||1
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||1
A 14 16|||U:OTHER||||||REQUIRED|||-NONE-|||1

S The new bridge was build last year and it conects the two part of the city .
A 4 5|||R:VERB:FORM|||built|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 9 10|||R:SPELL|||connects|||REQUIRED|||-NONE-|||0
A 12 13|||R:NOUN:NUM|||parts|||REQUIRED|||-NONE-|||0
A 3 3|||M:OTHER|||, which|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:FORM|||built|||REQUIRED|||-NONE-|||1
A 7 8|||U:CONJ||||||REQUIRED|||-NONE-|||1
A 8 9|||R:OTHER|||,|||REQUIRED|||-NONE-|||1
A 9 10|||R:SPELL|||connects|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:NUM|||parts|||REQUIRED|||-NONE-|||1

S How looks your new flat like ?
A 0 1|||R:OTHER|||What|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||does|||REQUIRED|||-NONE-|||0
A 5 5|||M:VERB|||look|||REQUIRED|||-NONE-|||0
A 0 1|||R:OTHER|||What|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB|||is|||REQUIRED|||-NONE-|||1

S He could n't find his keys because he had putted them in wrong pocket .
A 9 10|||R:MORPH|||put|||REQUIRED|||-NONE-|||0
A 12 12|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 9 10|||R:MORPH|||put|||REQUIRED|||-NONE-|||1
A 12 12|||M:DET|||the|||REQUIRED|||-NONE-|||1

S Many tourist come to our village for enjoy the silence and tasting the local wine .
A 1 2|||R:NOUN:NUM|||tourists|||REQUIRED|||-NONE-|||0
A 6 7|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:FORM|||taste|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:NUM|||tourists|||REQUIRED|||-NONE-|||1
A 6 7|||R:PART|||to|||REQUIRED|||-NONE-|||1
A 9 10|||R:OTHER|||peace and quiet|||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:FORM|||to taste|||REQUIRED|||-NONE-|||1

S The more you practise the violin , more better it sounds .
A 7 8|||R:ADV|||the|||REQUIRED|||-NONE-|||0
A 7 8|||R:ADV|||the|||REQUIRED|||-NONE-|||1

S I do n't like neither coffee nor tea .
A 4 5|||R:CONJ|||either|||REQUIRED|||-NONE-|||0
A 6 7|||R:CONJ|||or|||REQUIRED|||-NONE-|||0
A 1 3|||U:OTHER||||||REQUIRED|||-NONE-|||1

S By the time we arrived at the airport , the plane had already left .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The meeting will take place in 12 May at 10 o'clock in the room 204 .
A 5 6|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||0
A 5 6|||R:PREP|||on|||REQUIRED|||-NONE-|||1
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||1

S I have a good news : my paper was accept by the conference !
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:FORM|||accepted|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||some|||REQUIRED|||-NONE-|||1
A 8 10|||R:VERB:TENSE|||has been accepted|||REQUIRED|||-NONE-|||1

S Because the price of the gas rised again , so many family can not to heat their homes .
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||has risen|||REQUIRED|||-NONE-|||0
A 9 10|||U:ADV||||||REQUIRED|||-NONE-|||0
A 11 12|||R:NOUN:NUM|||families|||REQUIRED|||-NONE-|||0
A 14 15|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 0 2|||U:PREP|||The|||REQUIRED|||-NONE-|||1
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:TENSE|||has risen|||REQUIRED|||-NONE-|||1
A 10 12|||R:OTHER|||a lot of families|||REQUIRED|||-NONE-|||1
A 14 15|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1

S You should not to be so naïve , he only want your money .
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 7 8|||R:PUNCT|||;|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||wants|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 7 9|||R:PUNCT|||. He|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||wants|||REQUIRED|||-NONE-|||1

S I ’m sorry for to be late , but I missed my train .
A 4 6|||R:VERB:FORM|||being|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||1
A 4 5|||R:OTHER|||I|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB|||’m|||REQUIRED|||-NONE-|||1

S When I was young , I use to spend all my holydays at my uncle house , where he teached me to fish , to cook and to repair bicycle .
A 6 7|||R:VERB:TENSE|||used|||REQUIRED|||-NONE-|||0
A 11 12|||R:SPELL|||holidays|||REQUIRED|||-NONE-|||0
A 15 15|||M:NOUN:POSS|||'s|||REQUIRED|||-NONE-|||0
A 19 20|||R:VERB:INFL|||taught|||REQUIRED|||-NONE-|||0
A 29 30|||R:NOUN:NUM|||bicycles|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||used|||REQUIRED|||-NONE-|||1
A 11 12|||R:SPELL|||holidays|||REQUIRED|||-NONE-|||1
A 15 15|||M:NOUN:POSS|||'s|||REQUIRED|||-NONE-|||1
A 19 20|||R:VERB:INFL|||taught|||REQUIRED|||-NONE-|||1
A 21 21|||M:ADV|||how|||REQUIRED|||-NONE-|||1
A 24 25|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 27 28|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 29 30|||R:NOUN:NUM|||bicycles|||REQUIRED|||-NONE-|||1

S The most important thing in life it is to have friends in who you can trust .
A 6 7|||U:PRON||||||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0
A 12 13|||R:PRON|||whom|||REQUIRED|||-NONE-|||0
A 6 7|||U:PRON||||||REQUIRED|||-NONE-|||1
A 11 13|||U:OTHER||||||REQUIRED|||-NONE-|||1

S I have never eaten sushi , but I would love to try it .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB|||had|||REQUIRED|||-NONE-|||1

S Your welcome to stay in our house as long you want .
A 0 1|||R:PRON|||You|||REQUIRED|||-NONE-|||0
A 1 1|||M:CONTR|||'re|||REQUIRED|||-NONE-|||0
A 9 9|||M:PREP|||as|||REQUIRED|||-NONE-|||0
A 0 1|||R:PRON|||You|||REQUIRED|||-NONE-|||1
A 1 1|||M:VERB|||are|||REQUIRED|||-NONE-|||1
A 4 5|||R:PREP|||at|||REQUIRED|||-NONE-|||1
A 7 7|||M:PREP|||for|||REQUIRED|||-NONE-|||1
A 9 9|||M:PREP|||as|||REQUIRED|||-NONE-|||1

S The reseachers asked to 200 teenager how many time they spend on they phones , and surprisingly the answers was very differents between boys and girls .
A 1 2|||R:SPELL|||researchers|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:NUM|||teenagers|||REQUIRED|||-NONE-|||0
A 7 8|||R:ADJ|||much|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:TENSE|||spent|||REQUIRED|||-NONE-|||0
A 12 13|||R:DET|||their|||REQUIRED|||-NONE-|||0
A 19 20|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 21 22|||R:MORPH|||different|||REQUIRED|||-NONE-|||0
A 22 23|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||researchers|||REQUIRED|||-NONE-|||1
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||1
A 5 6|||R:NOUN:NUM|||teenagers|||REQUIRED|||-NONE-|||1
A 7 8|||R:ADJ|||much|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:TENSE|||spent|||REQUIRED|||-NONE-|||1
A 12 13|||R:DET|||their|||REQUIRED|||-NONE-|||1
A 17 23|||R:OTHER|||,|||REQUIRED|||-NONE-|||1
A 26 26|||M:OTHER|||gave very different answers|||REQUIRED|||-NONE-|||1

S Finally , I want to say that internet gave us many advantages , but we must to learn use it with responsability .
A 7 7|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:TENSE|||has given|||REQUIRED|||-NONE-|||0
A 16 18|||R:WO|||learn to|||REQUIRED|||-NONE-|||0
A 20 21|||U:PREP||||||REQUIRED|||-NONE-|||0
A 21 22|||R:SPELL|||responsibly|||REQUIRED|||-NONE-|||0
A 7 7|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:TENSE|||has given|||REQUIRED|||-NONE-|||1
A 16 18|||R:WO|||learn to|||REQUIRED|||-NONE-|||1
A 20 21|||U:PREP||||||REQUIRED|||-NONE-|||1
A 21 22|||R:SPELL|||responsibly|||REQUIRED|||-NONE-|||1

